<?php
// The router of `php -S`: a shop's webhook endpoint, which checks the signature as public plugins do and appends what it
// received to the file in WEBHOOK_LOG.
declare(strict_types=1);

// The API document, "Events", 5: base64url(sha1(API_SECRET + data + API_SECRET)), the padding kept.
function signatureOf(string $secret, string $data): string
{
    return strtr(base64_encode(sha1($secret . $data . $secret, true)), '+/', '-_');
}

$data = (string) ($_POST['data'] ?? '');
$signature = (string) ($_POST['signature'] ?? '');
$verified = hash_equals(signatureOf((string) getenv('API_SECRET'), $data), $signature);
$record = $verified ? json_decode((string) base64_decode(strtr($data, '-_', '+/')), true) : null;
file_put_contents(
    (string) getenv('WEBHOOK_LOG'),
    json_encode(['verified' => $verified, 'content_type' => $_SERVER['CONTENT_TYPE'] ?? '', 'record' => $record]) . "\n",
    FILE_APPEND | LOCK_EX
);
http_response_code($verified ? 200 : 400);
