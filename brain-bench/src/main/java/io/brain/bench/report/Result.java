package io.brain.bench.report;

import io.brain.bench.load.Measurement;
import io.brain.bench.shape.Shape;

/**
 * One stretch of a run.
 *
 * @param round from 1
 * @param server its name
 */
public record Result(int round, Shape shape, String server, Measurement figures) {}
