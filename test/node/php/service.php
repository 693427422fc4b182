<?php
// A client of the payment service as a PHP shop writes one: curl, the API document and api/beyond.md, and nothing of this package.
declare(strict_types=1);

final class ServiceError extends RuntimeException {}

final class PaymentService
{
    private string $baseUrl;
    private string $posId;
    private string $apiKey;
    private string $apiSecret;
    private string $endpointsKey;
    private string $scheme;

    public function __construct(array $settings)
    {
        $this->baseUrl = rtrim($settings['base_url'], '/');
        $this->posId = $settings['pos_id'];
        $this->apiKey = $settings['api_key'];
        $this->apiSecret = $settings['api_secret'];
        $this->endpointsKey = $settings['endpoints_key'];
        $this->scheme = $settings['scheme'];
    }

    // The API document, "Create payment": a hosted purchase responds with 303 and the checkout form's address.
    public function hostedPurchase(array $fields): string
    {
        [$status, , $location] = $this->call('POST', '/api/v1/payment', ['mode' => 'hosted', 'method' => 'purchase'] + $fields);
        if ($status !== 303 || $location === null) {
            throw new ServiceError("expected a redirect, got $status");
        }
        return $location;
    }

    // The API document, "Create payment", 2: direct with auth.
    public function authorize(array $fields): array
    {
        return $this->json('POST', '/api/v1/payment', ['mode' => 'direct', 'method' => 'auth'] + $fields);
    }

    // The API document, "Capture a reserve"; its webhook goes to the server_url of the capture itself.
    public function capture(string $orderId, string $currency, string $serverUrl, ?float $amount = null): array
    {
        $fields = ['order_id' => $orderId, 'order_currency' => $currency, 'server_url' => $serverUrl];
        if ($amount !== null) {
            $fields['charge_amount'] = $amount;
        }
        return $this->json('POST', '/api/v1/capture', $fields);
    }

    // api/beyond.md, "Operations whose creation the document does not show", refund [A].
    // An official shop plugin sends the amount as text.
    public function refund(string $orderId, string $currency, ?float $amount = null): array
    {
        $fields = ['order_id' => $orderId, 'order_currency' => $currency];
        if ($amount !== null) {
            $fields['refund_amount'] = strval($amount);
        }
        return $this->json('POST', '/api/v1/refund', $fields);
    }

    // api/beyond.md, the same table, void [A].
    public function void(string $orderId, string $currency): array
    {
        return $this->json('POST', '/api/v1/void', ['order_id' => $orderId, 'order_currency' => $currency]);
    }

    // api/beyond.md, the same table, order's operations [A].
    public function operations(string $orderId): array
    {
        return $this->json('GET', '/api/v1/pos/' . $this->posId . '/orders/' . rawurlencode($orderId));
    }

    private function json(string $verb, string $path, ?array $fields = null): array
    {
        [$status, $text] = $this->call($verb, $path, $fields);
        if ($status !== 200) {
            throw new ServiceError("$verb $path: $status $text");
        }
        return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    /** @return array{0: int, 1: string, 2: ?string} status, body, location */
    private function call(string $verb, string $path, ?array $fields = null): array
    {
        $location = null;
        // The plain scheme is shown for every endpoint, and all known working integrations use it (api/beyond.md [A]).
        $headers = [
            'X-API-AUTH: ' . $this->scheme . ' ' . $this->apiKey . ':' . $this->apiSecret,
            'X-API-KEY: ' . $this->endpointsKey,
        ];
        $curl = curl_init($this->baseUrl . $path);
        if ($fields !== null) {
            $headers[] = 'Content-Type: application/json';
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode(['pos_id' => $this->posId] + $fields, JSON_THROW_ON_ERROR));
        }
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $verb,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT => 30,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$location): int {
                if (stripos($line, 'location:') === 0) {
                    $location = trim(substr($line, strlen('location:')));
                }
                return strlen($line);
            },
        ]);
        $text = curl_exec($curl);
        if ($text === false) {
            throw new ServiceError(curl_error($curl));
        }
        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $text, $location];
    }
}
