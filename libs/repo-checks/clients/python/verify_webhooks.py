"""Verifies messages of webhooks with Python's library of Standard Webhooks: verify_webhooks.py FILE.

FILE has a list of cases in JSON: name, secret, body, headers, and whether they are valid.
"""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

with open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)
for case in cases:
    try:
        content = Webhook(case["secret"]).verify(case["body"], case["headers"])
        assert content == json.loads(case["body"]), case["name"]
        valid = True
    except WebhookVerificationError:
        valid = False
    if valid != case["valid"]:
        sys.exit(f"{case['name']}: valid is {valid}")
print(f"{len(cases)} cases")
