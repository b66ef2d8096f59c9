package io.brain.backend.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FairQueueTest {
    private static final Tenant A = Tenant.user("a");
    private static final Tenant B = Tenant.user("b");

    private final FairQueue<Item> queue = new FairQueue<>();

    /** Not a record: compared by identity. */
    private static final class Item implements FairQueue.Request {
        private final Tenant tenant;

        Item(Tenant tenant) {
            this.tenant = tenant;
        }

        @Override
        public Tenant tenant() {
            return tenant;
        }
    }

    @Test
    void aTenantsRequestsStayInOrder() {
        List<Item> added = add(A, 5);
        List<Item> polled = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            assertThat(queue.peek()).isSameAs(added.get(i));
            polled.add(serve(1 + i % 2).request());
        }
        assertThat(polled).isEqualTo(added);
        assertThat(queue.poll()).isNull();
        assertThat(queue.peek()).isNull();
    }

    @Test
    void tenantsThatWaitGetEqualSharesOfTheCost() {
        add(A, 1000);
        add(B, 1000);
        Map<Tenant, Integer> served = serveMany(550, Map.of(A, 100L, B, 10L));
        assertThat(served.get(A)).isBetween(49, 51);
        assertThat(served.get(B)).isBetween(499, 501);
    }

    @Test
    void anIdleTenantSavesNoCredit() {
        add(A, 1000);
        serveMany(200, Map.of(A, 10L));
        add(B, 1000);
        Map<Tenant, Integer> served = serveMany(100, Map.of(A, 10L, B, 10L));
        assertThat(served.get(A)).isBetween(49, 51);
    }

    @Test
    void aNewTenantIsBeforeOneThatWaited() {
        add(A, 1000);
        for (int i = 0; i < 20; i++) {
            serve(10);
            Item one = new Item(B);
            queue.add(one);
            assertThat(serve(1).request()).isSameAs(one);
        }
    }

    @Test
    void aTenantWithOneRequestAtATimePaysForTheOnesBefore() {
        add(A, 1000);
        queue.add(new Item(B));
        Map<Tenant, Integer> served = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            FairQueue<Item>.Turn turn = queue.poll();
            boolean b = turn.request().tenant().equals(B);
            served.merge(turn.request().tenant(), 1, Integer::sum);
            queue.charge(turn, b ? 90 : 10);
            if (b) {
                queue.add(new Item(B));
            }
        }
        assertThat(served.get(B)).isBetween(18, 24);
    }

    @Test
    void newTenantsDoNotHoldBackAnOldOneForever() {
        add(A, 2);
        serve(1000);
        int overtook = 0;
        while (queue.size() == 1) {
            queue.add(new Item(Tenant.user("new" + overtook)));
            if (serve(10).request().tenant().equals(A)) {
                break;
            }
            assertThat(overtook++).isLessThan(250);
        }
        assertThat(overtook).isBetween(100, 220);
    }

    @Test
    void aConnectionIsNoUserOfTheSameName() {
        Object connection = new Object();
        assertThat(Tenant.connection("a", connection)).isNotEqualTo(A);
        assertThat(Tenant.connection("a", connection))
                .isEqualTo(Tenant.connection("a", connection))
                .isNotEqualTo(Tenant.connection("a", new Object()));
    }

    @Test
    void aRemovedRequestIsNotServed() {
        List<Item> a = add(A, 3);
        List<Item> b = add(B, 1);
        assertThat(queue.remove(a.get(1))).isTrue();
        assertThat(queue.remove(a.get(1))).isFalse();
        assertThat(queue.remove(b.get(0))).isTrue();
        assertThat(queue.size()).isEqualTo(2);
        assertThat(serve(1).request()).isSameAs(a.get(0));
        assertThat(serve(1).request()).isSameAs(a.get(2));
        assertThat(queue.size()).isZero();
        assertThat(queue.remove(a.get(2))).isFalse();
    }

    @Test
    void clearReturnsAllRequests() {
        List<Item> all = new ArrayList<>(add(A, 3));
        all.addAll(add(B, 2));
        assertThat(queue.clear()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(queue.size()).isZero();
        assertThat(queue.tenants()).isZero();
        assertThat(queue.poll()).isNull();
    }

    @Test
    void chargesAreRememberedOnlyWhileSomebodyWaitsAndOfFewTenants() {
        add(A, 2);
        serve(1L << 50);
        for (int i = 0; i < 5000; i++) {
            queue.add(new Item(Tenant.user("new" + i)));
        }
        for (int i = 0; i < 5000; i++) {
            assertThat(serve(1L << 30).request().tenant()).isNotEqualTo(A);
            assertThat(queue.tenants()).isLessThanOrEqualTo(queue.size() + 1024);
            if (i == 2000) {
                assertThat(queue.tenants()).isEqualTo(queue.size() + 1024);
            }
        }
        serveMany(1, Map.of(A, 1L));
        assertThat(queue.tenants()).isZero();
        FairQueue<Item>.Turn last = poll(A);
        queue.charge(last, 100);
        assertThat(queue.tenants()).as("nobody waits").isZero();
    }

    @Test
    void theRequestsOfEachTenantAreCounted() {
        add(A, 2);
        add(B, 3);
        Map<Tenant, Integer> numbers = new HashMap<>(Map.of(A, 10));
        queue.countInto(numbers);
        assertThat(numbers).isEqualTo(Map.of(A, 12, B, 3));
    }

    /** Random additions, removals and turns, several of them open, against plain lists. */
    @Test
    void nothingIsLostOrReorderedAndTenantsThatAlwaysWaitGetTheSame() {
        for (int seed = 0; seed < 200; seed++) {
            new Model(seed).run();
        }
    }

    private static final class Model {
        private static final int STEPS = 2000;
        private static final int OPEN_MAX = 3;
        private static final int COST_MAX = 50;

        private final Random random;
        private final String seed;
        private final FairQueue<Item> fair = new FairQueue<>();

        /** The first two tenants always wait; the others come and go. */
        private final List<Tenant> tenants = new ArrayList<>();

        private final Map<Tenant, List<Item>> waiting = new HashMap<>();
        private final Map<Tenant, Long> charged = new HashMap<>();
        private final Queue<FairQueue<Item>.Turn> open = new ArrayDeque<>();
        private int size;

        Model(int seed) {
            this.seed = "seed " + seed;
            random = new Random(seed);
            for (int i = 0; i < 6; i++) {
                tenants.add(Tenant.user("t" + i));
                waiting.put(tenants.get(i), new ArrayList<>());
                charged.put(tenants.get(i), 0L);
            }
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                addTo(tenants.get(0));
                addTo(tenants.get(1));
                switch (random.nextInt(4)) {
                    case 0 -> add(tenants.get(2 + random.nextInt(4)));
                    case 1 -> remove(tenants.get(2 + random.nextInt(4)));
                    default -> turn();
                }
                assertThat(fair.size()).as(seed).isEqualTo(size);
                long ahead = charged.get(tenants.get(0)) - charged.get(tenants.get(1));
                assertThat(Math.abs(ahead)).as(seed).isLessThanOrEqualTo((OPEN_MAX + 1) * COST_MAX);
            }
            long always = charged.get(tenants.get(0));
            for (Tenant other : tenants) {
                assertThat(charged.get(other))
                        .as(seed)
                        .isLessThanOrEqualTo(always + (OPEN_MAX + 1) * COST_MAX);
            }
        }

        private void addTo(Tenant always) {
            while (waiting.get(always).size() < 2) {
                add(always);
            }
        }

        private void add(Tenant tenant) {
            Item item = new Item(tenant);
            waiting.get(tenant).add(item);
            fair.add(item);
            size++;
        }

        private void remove(Tenant tenant) {
            List<Item> items = waiting.get(tenant);
            if (!items.isEmpty()) {
                Item item = items.remove(random.nextInt(items.size()));
                assertThat(fair.remove(item)).as(seed).isTrue();
                size--;
            }
        }

        private void turn() {
            Item first = fair.peek();
            FairQueue<Item>.Turn turn = fair.poll();
            assertThat(turn.request()).as(seed).isSameAs(first);
            assertThat(waiting.get(first.tenant()).remove(0)).as(seed).isSameAs(first);
            size--;
            open.add(turn);
            while (open.size() > random.nextInt(OPEN_MAX + 1)) {
                FairQueue<Item>.Turn ended = open.remove();
                long cost = random.nextInt(COST_MAX);
                charged.merge(ended.request().tenant(), cost, Long::sum);
                fair.charge(ended, cost);
            }
        }
    }

    private List<Item> add(Tenant tenant, int count) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add(new Item(tenant));
            queue.add(items.get(i));
        }
        return items;
    }

    private FairQueue<Item>.Turn poll(Tenant tenant) {
        queue.add(new Item(tenant));
        return queue.poll();
    }

    private FairQueue<Item>.Turn serve(long cost) {
        FairQueue<Item>.Turn turn = queue.poll();
        queue.charge(turn, cost);
        return turn;
    }

    /** Returns how many requests of each tenant were served. */
    private Map<Tenant, Integer> serveMany(int count, Map<Tenant, Long> costs) {
        Map<Tenant, Integer> served = new HashMap<>();
        for (int i = 0; i < count; i++) {
            FairQueue<Item>.Turn turn = queue.poll();
            served.merge(turn.request().tenant(), 1, Integer::sum);
            queue.charge(turn, costs.get(turn.request().tenant()));
        }
        return served;
    }
}
