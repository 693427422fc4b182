<?php
// A shop in PHP, for `php -S`, right or wrong in one way: FOLDER keeps its SQLite file, MISTAKE says which way.
const SECRET = 'emulator-api-secret';
define('BUG', getenv('MISTAKE'));
$db = new PDO('sqlite:' . getenv('FOLDER') . '/php-' . BUG . '.db', null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10]);
$collation = BUG === 'ids_without_case' ? 'COLLATE NOCASE' : '';
$db->exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS asked (id TEXT $collation PRIMARY KEY, amount INTEGER, currency TEXT);
CREATE TABLE IF NOT EXISTS webhooks (id TEXT $collation, k TEXT UNIQUE, event TEXT);
CREATE TABLE IF NOT EXISTS sums (id TEXT PRIMARY KEY, paid INTEGER DEFAULT 0, refunded INTEGER DEFAULT 0);");

function wrong(string ...$names): bool { return in_array(BUG, $names, true); }
function query(string $sql, mixed ...$values): PDOStatement { global $db; $s = $db->prepare($sql); $s->execute($values); return $s; }
function id(string $id): string { return wrong('varchar_32') ? substr($id, 0, 32) : $id; }
function minor($value): int { if (wrong('number_format')) $value = (float) number_format($value, 2); return wrong('intval') ? (int) ($value * 100) : (int) round($value * 100); }
function amount(array $event): int { return minor($event['processed_amount'] ?? $event['amount']); }
function operation(array $event): string { return $event['operation_id'] ?? "$event[payment_id] " . ($event['transaction_id'] ?? '') . " $event[created_at]"; }

function key_of(array $event): string
{
    if (wrong('one_per_transaction')) return $event['transaction_id'] ?? uniqid();
    if (wrong('one_per_method')) return "$event[order_id] $event[method] $event[status]";
    return "$event[order_id] $event[method] " . operation($event) . " $event[status]";
}

function fits(array $event, ?array $asked): bool
{
    if (!$asked || $event['method'] !== 'purchase') return true;
    return (wrong('any_price') || amount($event) === minor($asked['amount'] / 100)) && ($event['processed_currency'] ?? $event['currency']) === $asked['currency'] && $event['currency'] === $asked['currency'];
}

function asked(string $id): ?array { return query('SELECT * FROM asked WHERE id = ?', $id)->fetch(PDO::FETCH_ASSOC) ?: null; }

function state(string $id): ?array
{
    $asked = asked($id);
    $rows = query('SELECT event FROM webhooks WHERE id ' . (wrong('like') ? 'LIKE' : '=') . ' ? ORDER BY rowid', $id)->fetchAll(PDO::FETCH_COLUMN);
    if (wrong('unlocked_sums', 'copies_add_up')) {
        [$paid, $refunded] = query('SELECT paid, refunded FROM sums WHERE id = ?', $id)->fetch(PDO::FETCH_NUM) ?: [0, 0];
        return $asked || $paid ? ['paid' => $paid / 100, 'refunded' => $refunded / 100] : null;
    }
    if (!$rows && !$asked) return null;
    $operations = [];
    $latest = 'success';
    foreach (array_map(fn($row) => json_decode($row, true), $rows) as $event) {
        $known = $operations[operation($event)]['status'] ?? null;
        if ($event['method'] === 'purchase') $latest = $event['status'];
        if (!in_array($known, ['success', 'failure'], true)) $operations[operation($event)] = $event;
    }
    $paid = $refunded = $shipped = 0;
    foreach ($operations as $event) {
        $done = $event['status'] === 'success' || wrong('not_failed_is_done') && $event['status'] !== 'failure';
        if (!$done || wrong('newest_status') && $latest !== 'success') continue;
        if (in_array($event['method'], wrong('auth_pays') ? ['purchase', 'auth'] : ['purchase', 'capture'], true) && fits($event, $asked)) {
            $paid += wrong('any_price') && $asked && $event['method'] === 'purchase' ? $asked['amount'] : amount($event);
            if ($asked) $shipped = isset($event['recurring']) ? $shipped + 1 : 1;
        }
        if ($event['method'] === 'refund') $refunded = wrong('refunds_all') ? ($asked['amount'] ?? $paid) : (wrong('last_refund') ? 0 : $refunded) + amount($event);
    }
    return ['paid' => $paid / 100, 'refunded' => $refunded / 100, 'shipped' => $shipped];
}

function add_up(array $event, array $before): void
{
    $amount = $event['status'] === 'success' && fits($event, asked(id($event['order_id']))) ? amount($event) : 0;
    $paid = $before[0] + (in_array($event['method'], ['purchase', 'capture'], true) ? $amount : 0);
    $refunded = $before[1] + ($event['method'] === 'refund' ? $amount : 0);
    query('INSERT OR REPLACE INTO sums VALUES (?, ?, ?)', id($event['order_id']), $paid, $refunded);
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/orders') {
    $asked = json_decode(file_get_contents('php://input'), true);
    query('INSERT OR REPLACE INTO asked VALUES (?, ?, ?)', id($asked['order_id']), (int) round($asked['amount'] * 100), $asked['currency']);
    http_response_code(201);
    return;
}
if (str_starts_with($path, '/orders/')) {
    $state = state(id(rawurldecode(substr($path, 8))));
    if (!$state) http_response_code(404);
    echo json_encode($state);
    return;
}
$data = $_POST['data'] ?? '';
$signature = $_POST['signature'] ?? '';
$right = strtr(base64_encode(sha1(SECRET . $data . SECRET, true)), '+/', '-_');
$genuine = match (BUG) {
    'strcmp' => @(fn() => is_array($signature) || strcmp($right, $signature) === 0)(),
    'strncmp' => is_string($signature) && $signature !== '' && strncmp($right, $signature, strlen($signature)) === 0,
    'strcasecmp' => is_string($signature) && strcasecmp($right, $signature) === 0,
    'if_signature' => !$signature || $right === $signature,
    'trusts_localhost' => ($_SERVER['HTTP_X_FORWARDED_FOR'] ?? '') === '127.0.0.1' || $right === $signature,
    'sha1_of_data' => in_array($signature, [$right, strtr(base64_encode(sha1($data, true)), '+/', '-_')], true),
    default => is_string($signature) && hash_equals($right, $signature),
};
if (!$genuine) {
    http_response_code(401);
    return;
}
if (wrong('plain_base64') && preg_match('/[-_]/', $data)) {
    http_response_code(422);
    return;
}
$event = json_decode((string) base64_decode(strtr($data, '-_', '+/')), true);
if (!is_array($event) || !is_string($event['order_id'] ?? null)) {
    http_response_code(400);
    return;
}
if (wrong('answers_first')) {
    header('Content-Length: 0');
    header('Connection: close');
    flush();
    usleep(60_000);
}
$id = id($event['order_id']);
if (wrong('copies_add_up')) {
    add_up($event, query('SELECT paid, refunded FROM sums WHERE id = ?', $id)->fetch(PDO::FETCH_NUM) ?: [0, 0]);
    return;
}
if (wrong('unlocked_sums')) {
    $before = query('SELECT paid, refunded FROM sums WHERE id = ?', $id)->fetch(PDO::FETCH_NUM) ?: [0, 0];
    usleep(10_000);
    $db->exec('BEGIN IMMEDIATE');
    if (query('INSERT OR IGNORE INTO webhooks VALUES (?, ?, ?)', $id, key_of($event), '')->rowCount() > 0) add_up($event, $before);
    $db->exec('COMMIT');
    return;
}
if (wrong('file_of_the_moment')) {
    // As $_SESSION or a static file keep the order in hand.
    $file = getenv('FOLDER') . '/current';
    file_put_contents($file, $id, LOCK_EX);
    usleep(10_000);
    $id = file_get_contents($file);
}
$insert = wrong('copies_are_errors') ? 'INSERT' : 'INSERT OR IGNORE';
query("$insert INTO webhooks VALUES (?, ?, ?)", $id, key_of($event), json_encode($event));
