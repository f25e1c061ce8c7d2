package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.CostPlan;
import io.dht4j.benchmarks.scenario.server.PeerTransports;
import io.dht4j.benchmarks.scenario.server.ServerComparison;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.benchmarks.scenario.server.ServerPlan;
import io.dht4j.benchmarks.scenario.server.ServerVariant;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.server.config.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Measures the cost of surviving a kill and a loss of power, by size of value, with more data than the cache holds. */
public final class DurabilityCost implements Scenario {

    private static final int NODES = 3;
    private static final int ACK = 2;
    private static final List<String> STORES = List.of("memory", "os", "fsync");
    private static final List<String> SIZES = List.of("100", "1024", "16384", "1048576");

    /** Creates the scenario. */
    public DurabilityCost() {}

    @Override
    public String name() {
        return "durability";
    }

    @Override
    public String question() {
        return "What does it cost to keep entries through a kill, and through a loss of power?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public KeyFigure keyFigure(Settings settings) {
        return CostPlan.isRateGiven(settings) ? KeyFigure.cost(Cost.CPU_MICROS) : keyFigure();
    }

    @Override
    public List<Parameter> parameters() {
        return CostPlan.searchingEach(ServerPlan.parameters(
                List.of(
                        new Parameter(
                                "stores",
                                "variants, separated by commas: " + String.join(", ", STORES),
                                "memory,os",
                                String.join(",", STORES)),
                        new Parameter(
                                "sizes",
                                "sizes of values in bytes, separated by commas: " + String.join(", ", SIZES)
                                        + "; the number of keys gives keys x value-bytes of data",
                                "100",
                                String.join(",", SIZES)),
                        PeerTransports.parameter("vertx", "grpc-stream")),
                "5000",
                "5000000",
                "100"));
    }

    @Override
    public void check(Settings settings) {
        cases(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        return ServerComparison.needs(cases(settings), NODES);
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        new ServerComparison(context, cases(context)).run();
    }

    private static List<Case> cases(Settings settings) {
        ServerPlan plan = ServerPlan.of(settings);
        long bytes = plan.keys() * plan.oneValueSize();
        List<Case> cases = new ArrayList<>();
        Optional<String> own = CandidateParameters.storeName(settings, STORES);
        for (String size : settings.names("sizes", SIZES)) {
            int valueBytes = Integer.parseInt(size);
            ServerPlan sized = plan.holding(Math.max(100, bytes / valueBytes), valueBytes);
            own.ifPresent(name -> cases.add(new Case(size + " bytes", nodes(name, settings), sized)));
            for (String store : settings.names("stores", STORES)) {
                // The store of the user's own is a variant beside these, and not that of all nodes.
                ServerVariant nodes =
                        nodes(store, settings).assembled(CandidateParameters.STORE_CLASS, CandidateParameters.NONE);
                cases.add(new Case(
                        size + " bytes",
                        store.equals("memory")
                                ? nodes.with(Setting.STORE, "memory")
                                : nodes.with(Setting.STORE, "mvstore").with(Setting.DURABILITY, store),
                        sized));
            }
        }
        return cases;
    }

    private static ServerVariant nodes(String name, Settings settings) {
        return ServerVariant.of(name, NODES, ACK, NODES).over(PeerTransports.of(settings));
    }
}
