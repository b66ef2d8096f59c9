/**
 * Reads and writes files of bbolt, the database in which etcd keeps its state: member databases and
 * snapshots of etcd 3.4 to 3.7. {@code docs/decisions} says why this is not a library.
 *
 * <p>A file is a sequence of pages, all numbers little-endian. Pages 0 and 1 are meta pages: {@link
 * io.brain.bbolt.Meta} names the root page of the tree of buckets, and a checksum protects it. A
 * tree has branch pages, which contain the first key of each child, and leaf pages. A page has a
 * {@link io.brain.bbolt.Format#PAGE_HEADER_BYTES header}, one {@link
 * io.brain.bbolt.Format#ELEMENT_BYTES element} per key, then the keys and values in the same order;
 * what does not fit continues in the overflow pages behind it. The value of a bucket is the id of
 * its root page or, if the bucket is small, a leaf page in itself. The freelist is a page with the
 * ids of free pages; etcd omits it. Buckets within buckets, which etcd does not use, are refused.
 *
 * <p><b>To send a database while it is made</b>, as etcd's Snapshot call does: write it with {@link
 * io.brain.bbolt.BboltWriter} into a temporary file (the meta pages at its beginning are known
 * last), then send the file from its beginning, and the SHA-256 of these bytes after them. The
 * length of a database is a multiple of the page size, so a file with a hash is recognized by its
 * length.
 *
 * <p><b>To read a file of unknown origin</b>, run {@link io.brain.bbolt.BboltReader#check} first.
 * It takes time in proportion to the file. Without it, each walk of a bucket is bounded, but a
 * crafted file may have the same pages in many buckets.
 */
package io.brain.bbolt;
