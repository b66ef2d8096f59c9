"""Groups, members and locks of tooz (etcd3+http) on the server at 127.0.0.1:PORT; prints what they return."""
import sys
import time

from tooz import coordination


def connect(name):
    coordinator = coordination.get_coordinator(
        "etcd3+http://127.0.0.1:%s?timeout=10&lock_timeout=20&membership_timeout=20" % sys.argv[1], name)
    coordinator.start(start_heart=False)
    return coordinator


def show(name, call):
    try:
        print(name, "=", call())
    except coordination.ToozError as failure:
        print(name, "!", type(failure).__name__)


one, two = connect(b"one"), connect(b"two")
joined = []
show("create group", lambda: one.create_group(b"g").get())
show("create group again", lambda: one.create_group(b"g").get())
show("groups", lambda: one.get_groups().get())
two.watch_join_group(b"g", lambda event: joined.append(("join", event.member_id)))
two.watch_leave_group(b"g", lambda event: joined.append(("leave", event.member_id)))
show("join", lambda: one.join_group(b"g", capabilities=b"fast").get())
show("join again", lambda: one.join_group(b"g").get())
show("join nothing", lambda: one.join_group(b"missing").get())
show("join two", lambda: two.join_group(b"g").get())
show("members", lambda: sorted(two.get_members(b"g").get()))
show("capabilities", lambda: two.get_member_capabilities(b"g", b"one").get())
show("update", lambda: one.update_capabilities(b"g", b"slow").get())
show("capabilities", lambda: two.get_member_capabilities(b"g", b"one").get())
two.run_watchers()
show("leave", lambda: one.leave_group(b"g").get())
two.run_watchers()
show("events", lambda: sorted(joined))
show("heartbeat", lambda: (one.heartbeat(), two.heartbeat()))
lock, other = one.get_lock(b"l"), two.get_lock(b"l")
show("acquire", lambda: lock.acquire())
show("taken", lambda: other.acquire(blocking=False))
show("acquired", lambda: (lock.acquired, other.acquired))
show("heartbeat of a lock", lambda: lock.heartbeat())
show("release", lambda: lock.release())
show("release again", lambda: lock.release())
show("acquire other", lambda: other.acquire(blocking=False))
show("break", lambda: lock.break_())
lost = connect(b"lost")
show("join lost", lambda: lost.join_group(b"g").get())
end = time.time() + 120
while one.get_members(b"g").get() and time.time() < end:
    time.sleep(0.5)  # until the membership's time is over, for two as well
show("members, one lost", lambda: sorted(one.get_members(b"g").get()))
show("leave two", lambda: two.leave_group(b"g").get())
show("delete group", lambda: one.delete_group(b"g").get())
