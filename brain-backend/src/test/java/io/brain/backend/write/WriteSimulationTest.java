package io.brain.backend.write;

import org.junit.jupiter.api.Test;

class WriteSimulationTest {
    private static final int SEEDS = 150;
    private static final int REQUESTS = 150;

    /**
     * One seed again: {@code -Dtest.args=-Dsimulation.seed=N}; more of them: {@code
     * -Dtest.args=-Dsimulation.seeds=N}.
     */
    @Test
    void answersEventsAndStoreAgreeWithTheModel() {
        long only = Long.getLong("simulation.seed", 0);
        long last = only == 0 ? Long.getLong("simulation.seeds", SEEDS) : only;
        for (long seed = Math.max(only, 1); seed <= last; seed++) {
            try {
                WriteSimulation simulation = new WriteSimulation(seed);
                simulation.run(REQUESTS);
                simulation.check();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }
}
