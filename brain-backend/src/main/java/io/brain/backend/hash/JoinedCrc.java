package io.brain.backend.hash;

/**
 * The CRC-32C of bytes that come in pieces, each of which only the CRC and the length are known of.
 * Used by one thread.
 *
 * <p>A CRC is a polynomial over GF(2) modulo a fixed one. What came before a piece of n bytes is
 * worth x^8n times as much once the piece is there: a piece costs one multiplication, and a few
 * more to find the power unless the last piece was of the same length.
 */
final class JoinedCrc {
    /** CRC-32C's polynomial, without its highest power; the highest bit is x^0. */
    private static final int POLYNOMIAL = 0x82f63b78;

    private static final int ONE = 1 << 31;
    private static final int X_TO_8 = 1 << 23;
    private static final int[] SQUARES = squares();

    private int value;
    private int length;
    private int power = ONE;

    /** Begins with the CRC of what comes first. */
    JoinedCrc(int first) {
        this.value = first;
    }

    /**
     * Adds a piece.
     *
     * @param pieceLength in bytes, not negative
     */
    void add(int pieceCrc, int pieceLength) {
        if (pieceLength != length) {
            length = pieceLength;
            power = xToEight(pieceLength);
        }
        value = times(power, value) ^ pieceCrc;
    }

    /** The CRC of all pieces so far, one after the other. */
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

    /** x^8, its square, the square of that, and so on. */
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
            // Times x, and what grew too high reduced.
            shifted = shifted >>> 1 ^ (-(shifted & 1) & POLYNOMIAL);
        }
        return product;
    }
}
