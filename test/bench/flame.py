"""flame.py NAME SECONDS RATE: what flame.sh found, in words, and as a flame graph.

Reads NAME.collapsed (nanoseconds of processor time) and NAME-alloc.collapsed (bytes), each line a stack from its
thread inwards and a number; writes NAME.svg. RATE is operations per second.
"""

import html
import sys

# A stage is the first whose words are all in a stack; the thread's name is part of it.
STAGES = [
    ("garbage collection", ["[VM Thread"]),
    ("garbage collection", ["[GC "]),
    ("compiling", ["[C2 "]),
    ("compiling", ["[C1 "]),
    ("engine: flushes and merges", ["[rocksdb:"]),
    ("commit: log and sync", ["[rocksdb-commit", "WriteGroupToWAL"]),
    ("commit: into the memtable", ["[rocksdb-commit", "InsertInto"]),
    ("commit: the rest", ["[rocksdb-commit"]),
    ("sequencer: looks keys up", ["[brain-sequencer", "EngineRecords"]),
    ("sequencer: answers", ["[brain-sequencer", "Publisher.answer"]),
    ("sequencer: publishes", ["[brain-sequencer", "Publisher.publish"]),
    ("sequencer: the rest", ["[brain-sequencer"]),
    ("transport: the request served", ["[brain-front", "IncomingCall.onMessage"]),
    ("transport: socket calls", ["[brain-front", "SocketChannelImpl"]),
    ("transport: reads frames", ["[brain-front", "NioByteUnsafe.read"]),
    ("transport: writes frames", ["[brain-front", "WriteQueue.flush"]),
    ("transport: the rest", ["[brain-front"]),
    ("watchers", ["[brain-watch"]),
]
WIDTH, ROW, NARROWEST = 1200, 15, 1.5


def stacks(path):
    for line in open(path):
        stack, number = line.rsplit(" ", 1)
        yield stack, int(number)


def short(frame):
    """A frame without its package or folder."""
    return frame.rsplit("/", 1)[-1]


def tree(path):
    root = {"n": 0, "in": {}}
    for stack, number in stacks(path):
        frames = stack.split(";")
        frames[0] = frames[0].split(" tid=")[0].strip("[]").rstrip("0123456789-")
        node = root
        node["n"] += number
        for frame in frames:
            node = node["in"].setdefault(short(frame), {"n": 0, "in": {}})
            node["n"] += number
    return root


def draw(root, path):
    boxes, depth_max = [], 0

    def place(node, left, depth):
        nonlocal depth_max
        depth_max = max(depth_max, depth)
        for name, inner in sorted(node["in"].items()):
            width = WIDTH * inner["n"] / root["n"]
            if width >= NARROWEST:
                boxes.append((name, left, depth, width, 100 * inner["n"] / root["n"]))
                place(inner, left, depth + 1)
            left += width

    place(root, 0.0, 0)
    height = (depth_max + 1) * ROW
    with open(path, "w") as out:
        out.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
            ' font-size="10">\n<style>rect{stroke:#fff;stroke-width:.3}text{pointer-events:none}</style>\n'
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n'
        )
        for name, left, depth, width, share in boxes:
            top = height - (depth + 1) * ROW
            colour = "#e8b07a" if name.endswith("[k]") or "::" in name else "#9ec3e0" if "." in name else "#cfd8c0"
            title = html.escape(f"{name} {share:.1f} %")
            out.write(
                f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{ROW}" fill="{colour}">'
                f"<title>{title}</title></rect>"
            )
            letters = int(width / 5.6)
            if letters > 3:
                text = name if len(name) <= letters else name[: letters - 1] + "…"
                out.write(f'<text x="{left + 2:.1f}" y="{top + 11}">{html.escape(text)}</text>')
            out.write("\n")
        out.write("</svg>\n")


def main():
    name, seconds, rate = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    operations = seconds * rate
    shares, total = {}, 0
    for stack, number in stacks(name + ".collapsed"):
        stage = next((s for s, words in STAGES if all(word in stack for word in words)), "else")
        shares[stage] = shares.get(stage, 0) + number
        total += number
    print("| stage | share | µs per operation |\n| --- | --- | --- |")
    for stage, number in sorted(shares.items(), key=lambda entry: -entry[1]):
        print(f"| {stage} | {100 * number / total:.1f} % | {number / operations / 1000:.1f} |")
    print(f"| all | | {total / operations / 1000:.1f} |")
    bytes_ = sum(number for _, number in stacks(name + "-alloc.collapsed"))
    print(f"\nallocated per operation: {bytes_ / operations:.0f} bytes")
    draw(tree(name + ".collapsed"), name + ".svg")


main()
