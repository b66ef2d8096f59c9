"""Calls of etcd3gw on the server at 127.0.0.1:PORT; prints what they return."""
import sys
import threading

import etcd3gw
from etcd3gw import exceptions

client = etcd3gw.client(host="127.0.0.1", port=int(sys.argv[1]), timeout=10)


def show(name, call):
    try:
        print(name, "=", call())
    except exceptions.Etcd3Exception as failure:
        print(name, "!", type(failure).__name__, failure.detail_text)


show("api path", lambda: client.api_path)
show("version", lambda: client.status()["version"])
show("members", lambda: len(client.members()))
show("create", lambda: client.create("k/1", "one"))
show("create again", lambda: client.create("k/1", "two"))
show("put", lambda: client.put("k/2", "zwei"))
show("get", lambda: client.get("k/1"))
show("get nothing", lambda: client.get("missing"))
show("get with metadata", lambda: sorted(client.get("k/1", metadata=True)[0][1]))
show("prefix", lambda: [v for v, _ in client.get_prefix("k/", sort_order="descend", sort_target="key")])
show("all", lambda: len(client.get_all()))
show("replace", lambda: client.replace("k/1", "one", "eins"))
show("replace, wrong", lambda: client.replace("k/1", "one", "eins"))
show("get replaced", lambda: client.get("k/1"))
show("binary", lambda: client.put(b"\xff\x00", b"\x00\xff"))
show("get binary", lambda: client.get(b"\xff\x00"))
lease = client.lease(ttl=60)
show("put with lease", lambda: client.put("leased", "1", lease=lease))
show("lease keys", lambda: lease.keys())
show("lease ttl", lambda: 30 < lease.ttl() <= 60)
show("lease refresh", lambda: lease.refresh())
show("lease revoke", lambda: lease.revoke())
show("lease gone", lambda: lease.refresh())
show("leased key", lambda: client.get("leased"))
lock = client.lock("a", ttl=60)
other = client.lock("a", ttl=60)
show("lock", lambda: lock.acquire())
show("lock taken", lambda: other.acquire())
show("is acquired", lambda: (lock.is_acquired(), other.is_acquired()))
show("release", lambda: lock.release())
show("lock free", lambda: other.acquire())
show("release other", lambda: other.release())

events, cancel = client.watch_prefix("w/")
threading.Timer(5, lambda: [client.put("w/1", "a"), client.delete("w/1"), client.put("w/2", "b")]).start()
seen = []
for event in events:
    seen.append((event.get("type", "PUT"), event["kv"]["key"], event["kv"].get("value")))
    if len(seen) == 3:
        cancel()
        break
show("watch", lambda: seen)
threading.Timer(5, lambda: client.put("once", "1")).start()
show("watch once", lambda: client.watch_once("once", timeout=60)["kv"]["value"])
show("transaction", lambda: client.transaction({
    "compare": [{"key": "ay8x", "result": "EQUAL", "target": "VALUE", "value": "ZWlucw=="}],
    "success": [{"request_delete_range": {"key": "ay8x"}}],
    "failure": []})["succeeded"])
show("transaction, malformed", lambda: client.transaction({"compare": [{"key": "%"}]}))
show("delete", lambda: client.delete("k/2"))
show("delete nothing", lambda: client.delete("k/2"))
show("delete prefix", lambda: client.delete_prefix("w/"))
