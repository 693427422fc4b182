<?php
// The same shop in PHP, for `php -S`: FOLDER keeps its events.
const SECRET = 'emulator-api-secret';
$folder = getenv('FOLDER');
[, $bug, $what, $id] = explode('/', $_SERVER['REQUEST_URI']) + ['', '', '', ''];

function keep(string $file, array $event): void
{
    file_put_contents($file, json_encode($event) . "\n", FILE_APPEND | LOCK_EX);
}

function lines(string $file): array
{
    return is_file($file) ? array_map(fn($line) => json_decode($line, true), file($file)) : [];
}

function state(string $bug, array $events, ?array $asked): array
{
    $operations = $copies = $seen = [];
    $latest = null;
    foreach ($events as $event) {
        $sale = in_array($event['method'], ['purchase', 'auth'], true);
        $transaction = $event['transaction_id'] ?? uniqid();
        if ($bug === 'dedupes_by_order' && $seen) continue;
        if ($bug === 'dedupes_by_transaction' && isset($seen[$transaction])) continue;
        $seen[$transaction] = true;
        $minor = (int) round($event['amount'] * 100);
        if ($sale && $asked) {
            $price = (int) round($asked['amount'] * 100);
            if ($bug === 'trusts_amount') $minor = $price;
            elseif ($minor !== $price) continue;
            if ($bug !== 'forgets_currency' && $event['currency'] !== $asked['currency']) continue;
        }
        if ($sale) $latest = $event['status'];
        $key = $event['operation_id'] ?? "$event[payment_id] $transaction $event[created_at]";
        $known = $operations[$key]['status'] ?? null;
        $operation = ['method' => $event['method'], 'status' => $event['status'], 'minor' => $minor];
        $isFinal = $known === 'success' || $known === 'failure';
        if (!$isFinal || $bug === 'pending_overwrites' && $event['status'] === 'pending') $operations[$key] = $operation;
        elseif ($event['status'] === 'success') $copies[] = $operation;
    }
    $once = array_filter($operations, fn($one) => $one['status'] === 'success');
    $sum = fn(array $list, array $methods) => array_sum(array_map(fn($one) => in_array($one['method'], $methods, true) ? $one['minor'] : 0, $list));
    $counted = $bug === 'adds_up_copies' ? [...array_values($once), ...$copies] : $once;
    $paid = $bug === 'newest_wins' && $latest !== 'success' ? 0 : $sum($counted, ['purchase', 'capture']);
    $sold = fn(array $list) => count(array_filter($list, fn($one) => in_array($one['method'], ['purchase', 'capture'], true)));
    $shipped = min(1, $sold($once)) + ($bug === 'ships_copies' ? $sold($copies) : 0);
    return ['paid' => $paid / 100, 'refunded' => $sum($counted, ['refund']) / 100, 'shipped' => $shipped];
}

if ($what === 'orders' && $_SERVER['REQUEST_METHOD'] === 'POST') {
    $asked = json_decode(file_get_contents('php://input'), true);
    keep("$folder/asked-$asked[order_id]", $asked);
    return;
}
if ($what === 'orders') {
    $events = lines("$folder/$bug-$id");
    [$asked] = lines("$folder/asked-$id") + [null];
    if (!$events && !$asked) http_response_code(404);
    echo json_encode(state($bug, $events, $asked));
    return;
}
$data = $_POST['data'] ?? '';
$right = strtr(base64_encode(sha1(SECRET . $data . SECRET, true)), '+/', '-_');
if ($bug !== 'no_signature_check' && !hash_equals($right, $_POST['signature'] ?? '')) {
    http_response_code(401);
    return;
}
$event = json_decode((string) base64_decode(strtr($data, '-_', '+/')), true);
if (!is_string($event['order_id'] ?? null)) {
    http_response_code(400);
    return;
}
if ($bug === 'stores_after_answer') {
    header('Content-Length: 0');
    header('Connection: close');
    flush();
    usleep(30_000);
}
keep("$folder/$bug-$event[order_id]", $event);
