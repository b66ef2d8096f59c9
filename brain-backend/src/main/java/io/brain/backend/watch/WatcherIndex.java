package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds the members whose spans contain a key: single keys in a hash map, ranges in an interval
 * tree (an AVL tree ordered by start and end; each node has the highest end of its subtree). Equal
 * spans share an entry. Not thread-safe. The order of visits depends only on the order of the
 * calls.
 */
final class WatcherIndex<T> {
    private final Map<Bytes, Set<T>> singles = new HashMap<>();
    private Node<T> root;
    private int size;

    /** Number of members. */
    int size() {
        return size;
    }

    /** Removes all members. */
    void clear() {
        singles.clear();
        root = null;
        size = 0;
    }

    /** Adds a member, which must not be in the index. */
    void add(KeySpan span, T member) {
        if (span.single()) {
            singles.computeIfAbsent(span.key(), key -> new LinkedHashSet<>()).add(member);
        } else {
            root = insert(root, span, member);
        }
        size++;
    }

    /** Removes a member, which must be in the index under this span. */
    void remove(KeySpan span, T member) {
        Set<T> members = span.single() ? singles.get(span.key()) : find(span).members;
        members.remove(member);
        size--;
        if (members.isEmpty()) {
            if (span.single()) {
                singles.remove(span.key());
            } else {
                root = delete(root, span);
            }
        }
    }

    /** Visits every member whose span contains a key; the action must not change the index. */
    void forEach(Bytes key, Consumer<? super T> action) {
        Set<T> members = singles.get(key);
        if (members != null) {
            members.forEach(action);
        }
        stab(root, key, action);
    }

    private static <T> void stab(Node<T> node, Bytes key, Consumer<? super T> action) {
        if (node == null || !isBefore(key, node.highestEnd)) {
            return;
        }
        stab(node.left, key, action);
        if (node.span.key().compareTo(key) <= 0) {
            if (isBefore(key, node.span.end())) {
                node.members.forEach(action);
            }
            stab(node.right, key, action);
        }
    }

    private Node<T> find(KeySpan span) {
        Node<T> node = root;
        int order = order(span, node.span);
        while (order != 0) {
            node = order < 0 ? node.left : node.right;
            order = order(span, node.span);
        }
        return node;
    }

    private static <T> Node<T> insert(Node<T> node, KeySpan span, T member) {
        if (node == null) {
            Node<T> added = new Node<>(span);
            added.members.add(member);
            return added;
        }
        int order = order(span, node.span);
        if (order == 0) {
            node.members.add(member);
            return node;
        }
        if (order < 0) {
            node.left = insert(node.left, span, member);
        } else {
            node.right = insert(node.right, span, member);
        }
        return node.balanced();
    }

    private static <T> Node<T> delete(Node<T> node, KeySpan span) {
        int order = order(span, node.span);
        if (order < 0) {
            node.left = delete(node.left, span);
        } else if (order > 0) {
            node.right = delete(node.right, span);
        } else if (node.left == null) {
            return node.right;
        } else if (node.right == null) {
            return node.left;
        } else {
            Node<T> next = node.right;
            while (next.left != null) {
                next = next.left;
            }
            next.right = delete(node.right, next.span);
            next.left = node.left;
            return next.balanced();
        }
        return node.balanced();
    }

    private static int order(KeySpan span, KeySpan other) {
        int order = span.key().compareTo(other.key());
        return order != 0 ? order : orderOfEnds(span.end(), other.end());
    }

    /** Compares exclusive ends; null is after all keys. */
    private static int orderOfEnds(Bytes end, Bytes other) {
        if (end == null || other == null) {
            return Boolean.compare(end == null, other == null);
        }
        return end.compareTo(other);
    }

    private static boolean isBefore(Bytes key, Bytes end) {
        return end == null || key.compareTo(end) < 0;
    }

    private static final class Node<T> {
        private final KeySpan span;
        private final Set<T> members = new LinkedHashSet<>();
        private Node<T> left;
        private Node<T> right;
        private int height = 1;
        private Bytes highestEnd;

        private Node(KeySpan span) {
            this.span = span;
            this.highestEnd = span.end();
        }

        /** Balances this subtree; returns its root. */
        private Node<T> balanced() {
            update();
            int lean = height(left) - height(right);
            if (lean > 1) {
                if (height(left.left) < height(left.right)) {
                    left = left.rotatedLeft();
                }
                return rotatedRight();
            }
            if (lean < -1) {
                if (height(right.right) < height(right.left)) {
                    right = right.rotatedRight();
                }
                return rotatedLeft();
            }
            return this;
        }

        private Node<T> rotatedLeft() {
            Node<T> top = right;
            right = top.left;
            top.left = this;
            update();
            top.update();
            return top;
        }

        private Node<T> rotatedRight() {
            Node<T> top = left;
            left = top.right;
            top.right = this;
            update();
            top.update();
            return top;
        }

        private void update() {
            height = 1 + Math.max(height(left), height(right));
            highestEnd = later(span.end(), later(endOf(left), endOf(right)));
        }

        private Bytes later(Bytes end, Bytes other) {
            return orderOfEnds(end, other) >= 0 ? end : other;
        }

        /** The highest end of a subtree; the empty key, the lowest of all, if it has no nodes. */
        private static Bytes endOf(Node<?> node) {
            return node == null ? Bytes.EMPTY : node.highestEnd;
        }

        private static int height(Node<?> node) {
            return node == null ? 0 : node.height;
        }
    }
}
