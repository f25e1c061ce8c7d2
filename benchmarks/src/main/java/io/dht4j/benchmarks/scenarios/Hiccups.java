package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Measures the lateness of an idle machine, a lower bound for every latency on it. A thread waits for moments; the
 * delay of its wake-ups is the machine's.
 */
public final class Hiccups implements Scenario {

    private static final List<String> WAYS = List.of("park", "sleep", "spin");
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long WAIT_NANOS = 1_000_000;
    private static final int DIGITS = 3;
    private static final double PERCENTILE = 99;

    @Override
    public String name() {
        return "hiccups";
    }

    @Override
    public String question() {
        return "How late does this machine wake a thread that waits for a millisecond?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.list("waits", "ways to wait", WAYS, "park,spin", "park,sleep,spin"),
                new Parameter("seconds", "length of a repetition, 0.01 to 3600", "0.5", "10"),
                new Parameter("repetitions", "measurements of each variant, in turns, 1 to 100", "5", "7"));
    }

    @Override
    public void check(Settings settings) {
        ways(settings);
        seconds(settings);
        repetitions(settings);
    }

    @Override
    public void run(RunContext context) throws InterruptedException {
        List<String> ways = ways(context);
        int repetitions = repetitions(context);
        long nanos = (long) (seconds(context) * NANOS_PER_SECOND);
        context.note("Whoever waits by park or sleep leaves the processor, and is late by what the system needs to "
                + "give it back. Whoever spins"
                + " keeps it, and is late only when the system takes it away for others: hardly ever on "
                + "an idle machine, for long on a"
                + " busy one.");
        context.plan(ways.size() * repetitions);
        Map<String, List<Double>> values = new LinkedHashMap<>();
        for (int repetition = 1; repetition <= repetitions; repetition++) {
            for (String way : ways) {
                context.step(way + ", repetition " + repetition);
                values.computeIfAbsent(way, name -> new ArrayList<>()).add(lateMicros(way, nanos));
                context.add(measurement(way, values.get(way)));
            }
        }
    }

    private static List<String> ways(Settings settings) {
        return settings.names("waits", WAYS);
    }

    private static double seconds(Settings settings) {
        return settings.decimal("seconds", 0.01, 3600);
    }

    private static int repetitions(Settings settings) {
        return (int) settings.number("repetitions", 1, 100);
    }

    private static Measurement measurement(String way, List<Double> values) {
        return new Measurement("waking up", way, "µs late at p99", false, values, Map.of("waits by", way), List.of());
    }

    private static double lateMicros(String way, long nanos) throws InterruptedException {
        Histogram late = new Histogram(DIGITS);
        long begin = System.nanoTime();
        for (long now = begin; now - begin < nanos; now = System.nanoTime()) {
            long until = now + WAIT_NANOS;
            await(way, until);
            late.recordValue(System.nanoTime() - until);
        }
        return late.getValueAtPercentile(PERCENTILE) / 1e3;
    }

    private static void await(String way, long until) throws InterruptedException {
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            switch (way) {
                case "park" -> LockSupport.parkNanos(left);
                case "sleep" -> Thread.sleep(left / WAIT_NANOS, (int) (left % WAIT_NANOS));
                default -> Thread.onSpinWait();
            }
        }
    }
}
