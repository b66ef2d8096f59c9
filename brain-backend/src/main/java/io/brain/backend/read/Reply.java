package io.brain.backend.read;

/**
 * An answer and the response bytes it holds. Whoever gets it must close {@code held} when the
 * transport has sent or dropped the answer.
 */
public record Reply<T>(T answer, Reservation held) {}
