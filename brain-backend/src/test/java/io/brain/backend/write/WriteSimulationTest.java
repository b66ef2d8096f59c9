package io.brain.backend.write;

import org.junit.jupiter.api.Test;

class WriteSimulationTest {
    private static final int SEEDS = 400;
    private static final int REQUESTS = 150;

    /** One seed: {@code -Dtest.args=-Dsimulation.seed=N}. */
    @Test
    void nothingIsLostTornOrTurnedAroundWhateverFails() {
        java.util.Map<String, Integer> counts = new java.util.TreeMap<>();
        long only = Long.getLong("simulation.seed", 0);
        for (long seed = Math.max(only, 1); seed <= (only == 0 ? SEEDS : only); seed++) {
            try {
                WriteSimulation simulation = new WriteSimulation(seed);
                simulation.run(REQUESTS);
                simulation.check();
                for (SimulatedRequest r : simulation.requests) {
                    String k =
                            !r.answer.isDone()
                                    ? "open"
                                    : String.valueOf(WriteSimulation.errorOf(r));
                    counts.merge(k, 1, Integer::sum);
                }
                counts.merge("terms", simulation.terms, Integer::sum);
                counts.merge("told", simulation.told.size(), Integer::sum);
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
        System.out.println("COUNTS " + counts);
    }
}
