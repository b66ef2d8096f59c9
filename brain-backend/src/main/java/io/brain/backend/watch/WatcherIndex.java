package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds everybody whose span covers a key, at a cost that grows with how many they are: single keys
 * in a hash map, ranges in an interval tree (an AVL tree ordered by start and end; each node knows
 * the furthest end below it). Equal spans share an entry. Not thread-safe; members are met in an
 * order that depends on nothing but the order of the calls.
 */
final class WatcherIndex<T> {
    private final Map<Bytes, Set<T>> singles = new HashMap<>();
    private Node<T> root;
    private int size;

    /** Members. */
    int size() {
        return size;
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

    /** Meets every member whose span covers {@code key}; the index must not change meanwhile. */
    void forEach(Bytes key, Consumer<? super T> action) {
        Set<T> members = singles.get(key);
        if (members != null) {
            members.forEach(action);
        }
        stab(root, key, action);
    }

    private static <T> void stab(Node<T> node, Bytes key, Consumer<? super T> action) {
        if (node == null || !isBefore(key, node.furthestEnd)) {
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

    /** Ends are excluded keys; null is behind every key. */
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
        private Bytes furthestEnd;

        private Node(KeySpan span) {
            this.span = span;
            this.furthestEnd = span.end();
        }

        /** The root of this subtree after the rotations that its children's heights call for. */
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
            furthestEnd = later(span.end(), later(endOf(left), endOf(right)));
        }

        private Bytes later(Bytes end, Bytes other) {
            return orderOfEnds(end, other) >= 0 ? end : other;
        }

        /** A missing child ends nowhere: no end is less than the empty one. */
        private static Bytes endOf(Node<?> node) {
            return node == null ? Bytes.EMPTY : node.furthestEnd;
        }

        private static int height(Node<?> node) {
            return node == null ? 0 : node.height;
        }
    }
}
