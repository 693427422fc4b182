<?php
// A day of a PHP shop. Reads the service's settings from the environment and prints what it saw, a line of JSON for each step.
declare(strict_types=1);

require __DIR__ . '/service.php';

$settings = [
    'base_url' => getenv('BASE_URL'),
    'pos_id' => getenv('POS_ID'),
    'api_key' => getenv('API_KEY'),
    'api_secret' => getenv('API_SECRET'),
    'endpoints_key' => getenv('ENDPOINTS_KEY'),
    'scheme' => getenv('SCHEME'),
];
$service = new PaymentService($settings);
$serverUrl = getenv('SERVER_URL');

function report(string $step, $seen): void
{
    echo json_encode(['step' => $step, 'seen' => $seen], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES), "\n";
}

/** What the customer does on the checkout page: types a card and presses "Pay". */
function payOnThePage(string $form, string $card): int
{
    $curl = curl_init($form);
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => http_build_query(['cc_number' => $card, 'exp_month' => '12', 'exp_year' => '39', 'card_cvv' => '123']),
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
    ]);
    curl_exec($curl);
    return curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
}

// What the service's own shop plugins send: no patronym, and no more of the customer than a mail address and a phone.
$hosted = [
    'amount' => 100.50,
    'currency' => 'UAH',
    'description' => 'Дві чашки',
    'order_id' => 'PHP-1',
    'order_3ds_bypass' => 'supported',
    'customer_email' => 'olena@example.com',
    'customer_phone' => '+380441234567',
    'server_url' => $serverUrl,
];
$form = $service->hostedPurchase($hosted);
report('hosted purchase', $form);
report('paid on the page', payOnThePage($form, (string) getenv('CARD')) < 400);
report('look-up of the purchase', $service->operations('PHP-1'));
report('partial refund', $service->refund('PHP-1', 'UAH', 20.25));
report('look-up after the refund', $service->operations('PHP-1'));

$fingerprint = [];
foreach (['ColorDepth', 'ScreenHeight', 'ScreenWidth', 'JavaEnabled', 'Language', 'TimeZone', 'TimeZoneOffset', 'AcceptHeader', 'IpAddress', 'UserAgent'] as $name) {
    $fingerprint['browser' . $name] = 'x';
}
$direct = [
    'amount' => 50.00,
    'currency' => 'UAH',
    'description' => 'A reservation',
    'order_3ds_bypass' => 'never',
    'cc_number' => getenv('CARD'),
    'exp_month' => 12,
    'exp_year' => 39,
    'card_cvv' => '123',
    'customer_email' => 'olena@example.com',
    'customer_phone' => '+380441234567',
    'customer_ip' => '203.0.113.7',
    'browser_fingerprint' => $fingerprint,
    'server_url' => $serverUrl,
];
report('auth', $service->authorize(['order_id' => 'PHP-2'] + $direct));
report('capture', $service->capture('PHP-2', 'UAH', $serverUrl, 30.00));
report('auth to be voided', $service->authorize(['order_id' => 'PHP-3'] + $direct));
report('void', $service->void('PHP-3', 'UAH'));
report('look-up of the void', $service->operations('PHP-3'));

// A wrong secret must be rejected, or nothing above proves anything.
try {
    (new PaymentService(['api_secret' => 'wrong'] + $settings))->operations('PHP-1');
    report('wrong secret', 'accepted');
} catch (ServiceError $error) {
    report('wrong secret', $error->getMessage());
}
