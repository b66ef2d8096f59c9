package io.brain.backend.watch;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds the members whose span covers a key, at a cost that grows with their number: an interval
 * tree (an AVL tree ordered by start and end, in which each node knows the furthest end below it).
 * Equal spans share a node. Not thread-safe; the order of members depends only on spans and on the
 * order of the calls.
 */
final class WatcherIndex<T> {
    private Node<T> root;
    private int size;

    int size() {
        return size;
    }

    /** Adds a member, which must not be in the index. */
    void add(KeySpan span, T member) {
        root = insert(root, span, member);
        size++;
    }

    /** Removes a member, which must be in the index under this span. */
    void remove(KeySpan span, T member) {
        root = remove(root, span, member);
        size--;
    }

    /** Visits all members whose span covers {@code key}; the index must not change meanwhile. */
    void forEach(Bytes key, Consumer<? super T> action) {
        visit(root, key, action);
    }

    private static <T> void visit(Node<T> node, Bytes key, Consumer<? super T> action) {
        if (node == null || !isBefore(key, node.furthestEnd)) {
            return;
        }
        if (node.span.key().compareTo(key) <= 0) {
            visit(node.right, key, action);
            if (isBefore(key, node.span.end())) {
                node.members.forEach(action);
            }
        }
        visit(node.left, key, action);
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

    private static <T> Node<T> remove(Node<T> node, KeySpan span, T member) {
        int order = order(span, node.span);
        if (order == 0) {
            node.members.remove(member);
            return node.members.isEmpty() ? joined(node.left, node.right) : node;
        }
        if (order < 0) {
            node.left = remove(node.left, span, member);
        } else {
            node.right = remove(node.right, span, member);
        }
        return node.balanced();
    }

    /** Joins the children of a removed node. */
    private static <T> Node<T> joined(Node<T> left, Node<T> right) {
        if (left == null || right == null) {
            return left == null ? right : left;
        }
        Node<T> first = right;
        while (first.left != null) {
            first = first.left;
        }
        first.right = withoutFirst(right);
        first.left = left;
        return first.balanced();
    }

    private static <T> Node<T> withoutFirst(Node<T> node) {
        if (node.left == null) {
            return node.right;
        }
        node.left = withoutFirst(node.left);
        return node.balanced();
    }

    private static int order(KeySpan span, KeySpan other) {
        int order = span.key().compareTo(other.key());
        return order != 0 ? order : orderOfEnds(span.end(), other.end());
    }

    /** Compares ends; null is after every key. */
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

        /** Restores the balance of this subtree; returns its root. */
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

        /** The least end of all for a missing child. */
        private static Bytes endOf(Node<?> node) {
            return node == null ? Bytes.EMPTY : node.furthestEnd;
        }

        private static int height(Node<?> node) {
            return node == null ? 0 : node.height;
        }
    }
}
