# A shop in Python, right or wrong in one way: shop.py FOLDER PORT MISTAKE. SQLite keeps its webhooks.
import base64, hashlib, hmac, json, os, sqlite3, sys, threading, time
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote

FOLDER, PORT, BUG = sys.argv[1], int(sys.argv[2]), sys.argv[3]
SECRET = b"emulator-api-secret"
KNOWN = """payment_id order_id pos_id mode method amount currency status created_at gateway_order_id billing_order_id transaction_id
payway eci status_code limit_info status_description cc_mask cc_token cc_token_expiration customer_id customer_phone fee fixed_fee
percent_fee processed_at payload receipt_url bank_pay operation_id processed_amount processed_currency recurring reserved_1""".split()
memory, current, lock = {}, None, threading.Lock()


def wrong(*names):
    return BUG in names


def database():
    db = sqlite3.connect(os.path.join(FOLDER, f"python-{BUG}.db"), timeout=10, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    return db


with database() as db:
    db.executescript(
        """PRAGMA journal_mode = WAL;
        CREATE TABLE IF NOT EXISTS asked (id TEXT PRIMARY KEY, amount INTEGER, currency TEXT);
        CREATE TABLE IF NOT EXISTS webhooks (id TEXT, key TEXT UNIQUE, event TEXT);
        CREATE TABLE IF NOT EXISTS sums (id TEXT PRIMARY KEY, paid INTEGER DEFAULT 0, refunded INTEGER DEFAULT 0, shipped INTEGER DEFAULT 0)"""
    )


def minor(value):
    if wrong("int_of_float"):
        return int(value * 100)
    cents = round(value * 100)
    return cents % 2**31 if wrong("32_bits") else cents


def amount_of(event):
    return minor(event.get("processed_amount") or event["amount"])


def key_of(event):
    if wrong("key_is_order"):
        return event["order_id"]
    operation = event.get("operation_id") or (event["payment_id"], event.get("transaction_id"), event["created_at"])
    return json.dumps([event["order_id"], event["method"], operation, event["status"]])


def fits(event, asked):
    if asked is None or event["method"] != "purchase":
        return True
    currency = event.get("processed_currency") or event["currency"]
    return amount_of(event) == minor(asked[0] / 100) and currency == asked[1] == event["currency"]


def fold(db, order_id):
    asked = db.execute("SELECT amount, currency FROM asked WHERE id = ?", (order_id,)).fetchone()
    rows = [json.loads(row[0]) for row in db.execute("SELECT event FROM webhooks WHERE id = ? ORDER BY rowid", (order_id,))]
    if not rows and asked is None:
        return None
    operations = {}
    for event in rows:
        operation = event.get("operation_id") or (event["payment_id"], event.get("transaction_id"), event["created_at"])
        if operations.get(operation, {}).get("status") not in ("success", "failure"):
            operations[operation] = event
    paid = refunded = shipped = 0
    for event in operations.values():
        if event["status"] != "success" and not (wrong("any_refund") and event["method"] == "refund"):
            continue
        if event["method"] in ("purchase", "capture") + (("credit", "lookup", "p2p") if wrong("any_method") else ()):
            if not fits(event, asked):
                continue
            paid += asked[0] if wrong("part_is_whole") and event["method"] == "capture" and asked else amount_of(event)
            if asked:
                shipped = shipped + 1 if event.get("recurring") else 1
        if event["method"] == "refund":
            refunded += amount_of(event)
    if wrong("failed_refund_unpays") and any(event["method"] == "refund" and event["status"] == "failure" for event in rows):
        paid = 0
    return paid, refunded, None if BUG in SUMS else shipped


def store(db, event):
    db.execute("INSERT OR IGNORE INTO webhooks VALUES (?, ?, ?)", (event["order_id"], key_of(event), json.dumps(event)))


def add_up(db, event):
    asked = db.execute("SELECT amount, currency FROM asked WHERE id = ?", (event["order_id"],)).fetchone()
    if event["status"] != "success" or not fits(event, asked):
        return
    column = {"purchase": "paid", "capture": "paid", "refund": "refunded"}.get(event["method"])
    if column:
        db.execute("INSERT OR IGNORE INTO sums (id) VALUES (?)", (event["order_id"],))
        db.execute(f"UPDATE sums SET {column} = {column} + ? WHERE id = ?", (amount_of(event), event["order_id"]))


def handle(event):
    global current
    db, key = database(), key_of(event)
    if wrong("adds_up_copies"):
        return add_up(db, event)
    if wrong("looks_then_writes"):
        known = db.execute("SELECT 1 FROM webhooks WHERE key = ?", (key,)).fetchone()
        time.sleep(0.01)
        db.execute("BEGIN IMMEDIATE")
        store(db, event)
        if not known:
            add_up(db, event)
        return db.execute("COMMIT")
    if wrong("reads_changes_writes"):
        before = db.execute("SELECT paid, refunded FROM sums WHERE id = ?", (event["order_id"],)).fetchone() or (0, 0)
        time.sleep(0.01)
        db.execute("BEGIN IMMEDIATE")
        if db.execute("INSERT OR IGNORE INTO webhooks VALUES (?, ?, '')", (event["order_id"], key)).rowcount == 0:
            return db.execute("ROLLBACK")
        done = event["status"] == "success" and fits(event, db.execute("SELECT amount, currency FROM asked WHERE id = ?", (event["order_id"],)).fetchone())
        paid = before[0] + (amount_of(event) if done and event["method"] in ("purchase", "capture") else 0)
        refunded = before[1] + (amount_of(event) if done and event["method"] == "refund" else 0)
        db.execute("INSERT OR REPLACE INTO sums (id, paid, refunded) VALUES (?, ?, ?)", (event["order_id"], paid, refunded))
        return db.execute("COMMIT")
    if wrong("order_in_a_global"):
        current = event["order_id"]
        time.sleep(0.01)
        return db.execute("INSERT OR IGNORE INTO webhooks VALUES (?, ?, ?)", (current, key, json.dumps(event)))
    if wrong("keeps_in_memory"):
        return memory.setdefault(event["order_id"], {}).setdefault(key, event)
    store(db, event)


SUMS = "adds_up_copies looks_then_writes reads_changes_writes".split()


def state(order_id):
    db = database()
    if wrong("keeps_in_memory"):
        for event in list(memory.get(order_id, {}).values()):
            store(db, event)
        found = fold(db, order_id)
        db.execute("DELETE FROM webhooks WHERE id = ?", (order_id,))
        return found
    if BUG in SUMS:
        asked = db.execute("SELECT 1 FROM asked WHERE id = ?", (order_id,)).fetchone()
        sums = db.execute("SELECT paid, refunded FROM sums WHERE id = ?", (order_id,)).fetchone()
        return (*(sums or (0, 0)), None) if asked or sums else None
    return fold(db, order_id)


def read(form):
    """The event of a form; raises where a status below is the answer."""
    datas, signature = form.get("data", [""]), form.get("signature", [""])[0]
    data = datas[0]
    right = base64.urlsafe_b64encode(hashlib.sha1(SECRET + data.encode() + SECRET).digest()).decode()
    checked = "signature" in form if wrong("checks_if_there") else not wrong("no_check")
    if checked and not hmac.compare_digest(right.encode(), signature.encode()):
        raise PermissionError
    if wrong("reads_last_data"):
        data = datas[-1]
    padded = data + "=" * (-len(data) % 4)
    raw = base64.b64decode(padded, validate=True) if wrong("standard_base64") else base64.urlsafe_b64decode(padded)
    event = json.loads(raw.decode("ascii" if wrong("ascii_alone") else "utf-8"))
    if wrong("nulls_are_errors"):
        [str(value["amount"]) for name, value in event.items() if name == "fee"]
        [name.lower() + value.lower() for name, value in event.items() if name in ("payway", "eci", "status_description")]
    if wrong("strict_fields") and set(event) - set(KNOWN):
        raise ValueError
    if wrong("rejects_old") and datetime.fromisoformat(event["created_at"]) < datetime.utcnow() - timedelta(days=2):
        raise ValueError
    if wrong("hangs_on_refunds") and event["method"] == "refund":
        time.sleep(60)
    if wrong("rejects_refunds") and event["method"] == "refund":
        raise ValueError
    return event


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # one packet an answer

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        found = state(unquote(self.path.split("/")[-1]))
        if found is None:
            return self.answer(404)
        paid, refunded, shipped = found
        self.answer(200, json.dumps({"paid": paid / 100, "refunded": refunded / 100, "shipped": shipped}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path.endswith("/orders"):
            asked = json.loads(body)
            database().execute(
                "INSERT OR REPLACE INTO asked VALUES (?, ?, ?)",
                (asked["order_id"], round(asked["amount"] * 100), asked["currency"]),
            )
            return self.answer(201)
        try:
            event = read(parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True))
            event["order_id"]
        except PermissionError:
            return self.answer(401)
        except Exception:
            return self.answer(400)
        if wrong("right_in_turn"):
            with lock:
                handle(event)
        elif wrong("answers_first"):
            self.answer(200)
            time.sleep(0.06)
            return handle(event)
        else:
            handle(event)
        self.answer(200)

    def log_message(self, *_):
        pass


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer.request_queue_size = 64
ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
