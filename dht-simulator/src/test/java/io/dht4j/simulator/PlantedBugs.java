package io.dht4j.simulator;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.testkit.SearchEffort;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;

/** Plants bugs and lets the simulator search for what they break. */
final class PlantedBugs {

    /** How many seeds it may take. */
    static final int SEEDS = 3000;

    static final String INTERNAL = "io.dht4j.core.internal.";

    /** How a bug shows that makes the simulation itself fail: by an exception, or by never coming to an end. */
    static final Pattern CRASH = Pattern.compile("^(the simulation failed|a task threw|still busy)|java\\.lang\\.");

    /** A quorum read or a scan does not show what was acknowledged, or what a read has shown. */
    static final String LOST = " (READ|SCAN) .* (does not show|shows .* older than|shows .* seen deleted or expired)";

    static final String UNEQUAL = "^[a-z ]+, when all was healed, the replicas of .* hold ";

    static final String NOT_ON_DISK = " was acknowledged, and is on [0-9]+ of [0-9]+ disks";

    private PlantedBugs() {}

    /** Where a search for a bug that few seeds find begins: at 0 if it is whole, else shortly before one of them. */
    static long shortlyBefore(long seed) {
        return SearchEffort.isWhole() ? 0 : seed;
    }

    /** The one change of a class. */
    static Map<String, UnaryOperator<DynamicType.Builder<?>>> in(
            String className, UnaryOperator<DynamicType.Builder<?>> change) {
        return Map.of(className, change);
    }

    /** The change of the one class of the internals in which advice is woven into a method. */
    static Map<String, UnaryOperator<DynamicType.Builder<?>>> advised(String name, Class<?> advice, String method) {
        return in(INTERNAL + name, type -> type.visit(Advice.to(advice).on(named(method))));
    }

    /** The change of the one class of the internals in which a method does nothing. */
    static Map<String, UnaryOperator<DynamicType.Builder<?>>> stubbed(String name, String method) {
        return in(INTERNAL + name, type -> type.method(named(method)).intercept(StubMethod.INSTANCE));
    }

    /** The change of the one class of the internals in which a method returns always the same. */
    static Map<String, UnaryOperator<DynamicType.Builder<?>>> fixed(String name, String method, Object value) {
        return in(INTERNAL + name, type -> type.method(named(method)).intercept(FixedValue.value(value)));
    }

    /**
     * Requires that a seed of static clusters finds what a bug breaks, and that it is a promise which the bug breaks
     * and not the simulation.
     *
     * @param promise what one of the complaints must contain
     */
    static void assertBreaks(String promise, Map<String, UnaryOperator<DynamicType.Builder<?>>> changes) {
        assertBreaks(promise, changes, 0);
    }

    static void assertBreaks(String promise, Map<String, UnaryOperator<DynamicType.Builder<?>>> changes, long first) {
        assertBreaks(promise, changes, Mode.STATIC, first, SEEDS);
    }

    static void assertBreaks(
            String promise,
            Map<String, UnaryOperator<DynamicType.Builder<?>>> changes,
            Mode mode,
            long first,
            int seeds) {
        Pattern wanted = Pattern.compile(promise);
        PlantedBug bug = new PlantedBug(changes);
        List<String> others = new ArrayList<>();
        for (long seed = first; seed < first + seeds; seed++) {
            List<String> found = violations(bug, seed, mode);
            assertThat(found).as("seed %d", seed).noneMatch(CRASH.asPredicate());
            if (found.stream().anyMatch(wanted.asPredicate())) {
                return;
            }
            others.addAll(found);
        }
        fail("%d seeds did not find it, only: %s", seeds, others.subList(0, Math.min(10, others.size())));
    }

    static List<String> violations(PlantedBug bug, long seed, Mode mode) {
        try {
            return bug.violations(seed, mode).stream().map(String::valueOf).toList();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** What changed methods call; in the class loader of the product they may reach public classes only. */
    public static final class Reach {

        private Reach() {}

        /** For {@link PlantedAtomicBugsTest.UsedTwice}: gives back what was taken. */
        public static void giveBack(Object leads, Optional<?> taken) {
            try {
                if (taken.isPresent()) {
                    Method put = leads.getClass()
                            .getDeclaredMethod("put", taken.get().getClass());
                    put.setAccessible(true);
                    put.invoke(leads, taken.get());
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link PlantedOrderBugsTest.NoSecondRound}: as if enough replicas had taken the latest stamp. */
        public static void acknowledge(Object operation, Object stamp) {
            try {
                Method latest = stamp.getClass().getMethod("latest");
                latest.setAccessible(true);
                Object again = latest.invoke(stamp);
                if (!again.equals(stamp)) {
                    Method acknowledged = operation.getClass().getDeclaredMethod("acknowledged", stamp.getClass());
                    acknowledged.setAccessible(true);
                    acknowledged.invoke(operation, again);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link PlantedAtomicBugsTest.HalfAPair}: whether one of the nodes of a slot has answered. */
        public static boolean isAnyOf(Object slot, Predicate<Object> answers) {
            try {
                Collection<?> nodes =
                        (Collection<?>) slot.getClass().getMethod("nodes").invoke(slot);
                for (Object node : nodes) {
                    if (answers.test(node.getClass().getMethod("id").invoke(node))) {
                        return true;
                    }
                }
                return false;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link PlantedAtomicBugsTest.OfAnyRow}: a field with a number. */
        public static long number(Object of, String name) {
            try {
                return (Long) field(of, name);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** For {@link PlantedAtomicBugsTest.AnyAnswer}: whether a majority has answered. */
        public static boolean isReadQuorum(Object row, Collection<?> answered) {
            try {
                Method told = row.getClass().getDeclaredMethod("isReadQuorum", Collection.class);
                told.setAccessible(true);
                return (Boolean) told.invoke(row, answered);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /**
         * For {@link PlantedOrderBugsTest.NoQuery}: a version older than all, of the class that the product under test
         * has.
         */
        public static Object zero() {
            try {
                Class<?> caller = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                        .walk(frames -> frames.skip(1).findFirst().orElseThrow().getDeclaringClass());
                return caller.getClassLoader()
                        .loadClass("io.dht4j.Version")
                        .getConstructor(long.class)
                        .newInstance(0L);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /**
         * For {@link PlantedOrderBugsTest.OwnStoreFirst}: what is refused for the node's clock is in its store already.
         */
        public static void writeOwnStore(Object writes, Function<Object, Object> entriesOf) {
            try {
                if (((Optional<?>) call(field(writes, "clocks"), "problem")).isPresent()) {
                    Object version = call(field(writes, "versions"), "next");
                    Object store = call(field(writes, "components"), "store");
                    Method apply = store.getClass().getMethod("apply", List.class);
                    apply.setAccessible(true);
                    apply.invoke(store, entriesOf.apply(version));
                }
            } catch (InvocationTargetException e) {
                // A store that fails has not written.
                Thread.onSpinWait();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Object field(Object of, String name) throws ReflectiveOperationException {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        }

        private static Object call(Object of, String name) throws ReflectiveOperationException {
            Method method = of.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return method.invoke(of);
        }

        /** For {@link PlantedOrderBugsTest.FirstAnswer}. */
        public static boolean isCalledByQuery() {
            return StackWalker.getInstance()
                    .walk(frames -> frames.limit(4)
                            .anyMatch(frame -> frame.getClassName().endsWith(".VersionQuery")
                                    && frame.getMethodName().equals("answered")));
        }
    }
}
