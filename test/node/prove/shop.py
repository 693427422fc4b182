# A shop in Python, right or wrong in one way: POST /BUG/webhooks, POST /BUG/orders, GET /BUG/orders/ID. FOLDER keeps its events.
import base64, fcntl, hashlib, hmac, json, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

SECRET = b"emulator-api-secret"
FOLDER, PORT = sys.argv[1], int(sys.argv[2])


def keep(bug, event):
    with open(f"{FOLDER}/{bug}-{event['order_id']}", "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(json.dumps(event) + "\n")


def lines(name):
    try:
        with open(f"{FOLDER}/{name}") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


def state(bug, order_id):
    events, asked = lines(f"{bug}-{order_id}"), (lines(f"asked-{order_id}") or [None])[0]
    if not events and not asked:
        return None
    operations, copies, seen, latest = {}, [], set(), None
    for event in events:
        sale = event["method"] in ("purchase", "auth")
        if bug == "dedupes_by_order" and seen or bug == "dedupes_by_transaction" and event.get("transaction_id") in seen:
            continue
        seen.add(event.get("transaction_id", id(event)))
        amount = round(event["amount"] * 100)
        if sale and asked:
            if bug == "trusts_amount":
                amount = round(asked["amount"] * 100)
            elif amount != round(asked["amount"] * 100):
                continue
            if bug != "forgets_currency" and event["currency"] != asked["currency"]:
                continue
        if sale:
            latest = event["status"]
        key = event.get("operation_id") or (event["payment_id"], event.get("transaction_id"), event["created_at"])
        known = operations.get(key)
        if known is None or known[1] not in ("success", "failure"):
            operations[key] = (event["method"], event["status"], amount)
        elif bug == "pending_overwrites" and event["status"] == "pending":
            operations[key] = (event["method"], "pending", amount)
        elif bug in ("adds_up_copies", "ships_copies") and event["status"] == "success":
            copies.append((event["method"], "success", amount))
    done = [one for one in list(operations.values()) + copies if one[1] == "success"]
    counted = done if bug == "adds_up_copies" else [one for one in operations.values() if one[1] == "success"]
    paid = sum(amount for method, _, amount in counted if method in ("purchase", "capture"))
    if bug == "newest_wins" and latest != "success":
        paid = 0
    refunded = sum(amount for method, _, amount in counted if method == "refund")
    sold = [one for one in (done if bug == "ships_copies" else operations.values()) if one[0] in ("purchase", "capture") and one[1] == "success"]
    shipped = len(sold) if bug == "ships_copies" and copies else min(1, len(sold))
    return {"paid": paid / 100, "refunded": refunded / 100, "shipped": shipped}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # one packet an answer

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        _, bug, _, order_id = self.path.split("/")
        found = state(bug, order_id)
        self.answer(404 if found is None else 200, json.dumps(found).encode())

    def do_POST(self):
        _, bug, what = self.path.split("/")
        body = self.rfile.read(int(self.headers["content-length"]))
        if what == "orders":
            asked = json.loads(body)
            with open(f"{FOLDER}/asked-{asked['order_id']}", "w") as file:
                file.write(json.dumps(asked) + "\n")
            return self.answer(200)
        form = parse_qs(body.decode("utf-8", "replace"))
        data, signature = form.get("data", [""])[0].encode(), form.get("signature", [""])[0].encode()
        right = base64.urlsafe_b64encode(hashlib.sha1(SECRET + data + SECRET).digest())
        if bug != "no_signature_check" and not hmac.compare_digest(right, signature):
            return self.answer(401)
        try:
            event = json.loads(base64.urlsafe_b64decode(data + b"=="))
            event["order_id"]
        except Exception:
            return self.answer(400)
        if bug == "stores_after_answer":
            threading.Timer(0.03, keep, (bug, event)).start()
        else:
            keep(bug, event)
        self.answer(200)

    def log_message(self, *_):
        pass


ThreadingHTTPServer.daemon_threads = True
server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
print("Listening", flush=True)
server.serve_forever()
