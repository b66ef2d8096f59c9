package io.brain.backend.hash;

/**
 * The CRC-32C of concatenated pieces, computed from the CRC and length of each piece. Used by one
 * thread.
 *
 * <p>A CRC is a polynomial over GF(2) modulo a generator. Appending n bytes multiplies the CRC so
 * far by x^8n: one multiplication for each piece, and some more to compute the power if the length
 * differs from that of the last piece.
 */
final class JoinedCrc {
    /** The generator of CRC-32C without its highest power; the highest bit is x^0. */
    private static final int POLYNOMIAL = 0x82f63b78;

    private static final int ONE = 1 << 31;
    private static final int X_TO_8 = 1 << 23;
    private static final int[] SQUARES = squares();

    private int value;
    private int length;
    private int power = ONE;

    /** Starts with the CRC of the first piece. */
    JoinedCrc(int first) {
        this.value = first;
    }

    /** Appends a piece. */
    void add(int pieceCrc, int pieceLength) {
        if (pieceLength != length) {
            length = pieceLength;
            power = xToEight(pieceLength);
        }
        value = times(power, value) ^ pieceCrc;
    }

    /** The CRC of all pieces so far. */
    int value() {
        return value;
    }

    /** x to the power of 8 times {@code bytes}. */
    private static int xToEight(int bytes) {
        int power = ONE;
        for (int i = 0; bytes >>> i != 0; i++) {
            if ((bytes >>> i & 1) != 0) {
                power = times(SQUARES[i], power);
            }
        }
        return power;
    }

    /** x^8, x^16, x^32, ... */
    private static int[] squares() {
        int[] squares = new int[Integer.SIZE - 1];
        squares[0] = X_TO_8;
        for (int i = 1; i < squares.length; i++) {
            squares[i] = times(squares[i - 1], squares[i - 1]);
        }
        return squares;
    }

    private static int times(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int rest = a; rest != 0; rest <<= 1) {
            if (rest < 0) {
                product ^= shifted;
            }
            // Times x, reduced.
            shifted = shifted >>> 1 ^ (-(shifted & 1) & POLYNOMIAL);
        }
        return product;
    }
}
