# A right shop in Django, in one file: shop_django.py FOLDER PORT. Each webhook is a row; the state is computed from them.
import base64, hashlib, hmac, json, sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.conf import settings

FOLDER, PORT = sys.argv[1], int(sys.argv[2])
database = {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/django.db", "OPTIONS": {"timeout": 20}}
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], DATABASES={"default": database}, SECRET_KEY="x", INSTALLED_APPS=[], DEFAULT_AUTO_FIELD="django.db.models.AutoField")
import django

django.setup()
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

SECRET = "emulator-api-secret"


class Asked(models.Model):
    order_id = models.CharField(max_length=256, primary_key=True)
    cents = models.BigIntegerField()
    currency = models.CharField(max_length=3)

    class Meta:
        app_label = "shop"


class Webhook(models.Model):
    order_id = models.CharField(max_length=256)
    operation = models.CharField(max_length=200)
    status = models.CharField(max_length=32)
    event = models.TextField()

    class Meta:
        app_label = "shop"
        unique_together = [("order_id", "operation", "status")]


def cents(event):
    return round((event.get("processed_amount") or event["amount"]) * 100)


@csrf_exempt
def webhooks(request):
    data, signature = request.POST.get("data", ""), request.POST.get("signature", "")
    right = base64.urlsafe_b64encode(hashlib.sha1(f"{SECRET}{data}{SECRET}".encode()).digest())
    if not hmac.compare_digest(right, signature.encode()):
        return HttpResponse(status=401)
    event = json.loads(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)))
    operation = event.get("operation_id") or f"{event['payment_id']} {event.get('transaction_id')} {event['created_at']}"
    row = {"order_id": event["order_id"], "operation": f"{event['method']} {operation}", "status": event["status"]}
    Webhook.objects.bulk_create([Webhook(**row, event=json.dumps(event))], ignore_conflicts=True)
    return HttpResponse()


@csrf_exempt
def orders(request):
    asked = json.loads(request.body)
    Asked.objects.create(order_id=asked["order_id"], cents=round(asked["amount"] * 100), currency=asked["currency"])
    return HttpResponse(status=201)


def state(request, order_id):
    asked = Asked.objects.filter(order_id=order_id).first()
    if asked is None:
        return HttpResponse(status=404)
    paid = refunded = shipped = 0
    for row in Webhook.objects.filter(order_id=order_id, status="success"):
        event = json.loads(row.event)
        currencies = {event["currency"], event.get("processed_currency") or event["currency"]}
        if event["method"] in ("purchase", "capture"):
            if event["method"] == "purchase" and (cents(event), currencies) != (asked.cents, {asked.currency}):
                continue
            paid += cents(event)
            shipped = shipped + 1 if event.get("recurring") else 1
        if event["method"] == "refund":
            refunded += cents(event)
    return JsonResponse({"paid": paid / 100, "refunded": refunded / 100, "shipped": shipped})


urlpatterns = [path("webhooks", webhooks), path("orders", orders), path("orders/<str:order_id>", state)]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


with connection.schema_editor() as editor:
    for model in (Asked, Webhook):
        if model._meta.db_table not in connection.introspection.table_names():
            editor.create_model(model)
with connection.cursor() as cursor:
    cursor.execute("PRAGMA journal_mode = WAL")
make_server("127.0.0.1", PORT, get_wsgi_application(), Server, Quiet).serve_forever()
