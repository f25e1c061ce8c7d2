package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.scenario.server.ServerComparison.Case;
import io.dht4j.lab.internal.counters.Cost;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A scenario that compares clusters of standalone servers: a row of a table.
 *
 * @param name on the command line
 * @param question the question that it answers
 * @param copies of each entry, at most
 * @param cases reads every parameter, and returns the variants
 * @param parameters its own and the {@linkplain ServerPlan#parameters shared ones}
 * @param keyFigure that answers the question
 * @param atGivenRate that answers it if a rate is given, so that no stable load is searched for
 * @param run measures the cases
 */
public record ServerScenario(
        String name,
        String question,
        int copies,
        Function<Settings, List<Case>> cases,
        List<Parameter> parameters,
        KeyFigure keyFigure,
        KeyFigure atGivenRate,
        Run run)
        implements Scenario {

    /** Measures cases. */
    @FunctionalInterface
    public interface Run {

        /** Measures them, and their related figures. Blocks. */
        void of(RunContext context, List<Case> cases) throws IOException, InterruptedException;
    }

    /** Returns a scenario with the shared parameters that compares its cases by the processor time of an operation. */
    public static ServerScenario of(String name, String question, int copies, Function<Settings, List<Case>> cases) {
        KeyFigure cost = KeyFigure.cost(Cost.CPU_MICROS);
        Run run = (context, all) -> new ServerComparison(context, all).run();
        return new ServerScenario(name, question, copies, cases, ServerPlan.parameters(), cost, cost, run);
    }

    private ServerScenario having(Stream<Parameter> all) {
        return new ServerScenario(name, question, copies, cases, all.toList(), keyFigure, atGivenRate, run);
    }

    /** Returns a copy with parameters of its own before the others. */
    public ServerScenario with(Parameter... own) {
        return having(Stream.concat(Stream.of(own), parameters.stream()));
    }

    /** Returns a copy without some parameters, which the scenario sets itself. */
    public ServerScenario without(String... names) {
        return having(parameters.stream().filter(each -> !List.of(names).contains(each.name())));
    }

    /** Returns a copy with another default of a parameter, of the short form and of the full one. */
    public ServerScenario byDefault(String parameter, String quick, String full) {
        return having(
                parameters.stream().map(each -> each.name().equals(parameter) ? each.byDefault(quick, full) : each));
    }

    /** Returns a copy with other defaults of the amount of data: the keys of both forms, and the size of a value. */
    public ServerScenario holding(String quickKeys, String fullKeys, String valueBytes) {
        return byDefault("keys", quickKeys, fullKeys).byDefault("value-bytes", valueBytes, valueBytes);
    }

    /** Returns a copy that searches in each repetition, and is answered by the stable load; by a cost at a rate. */
    public ServerScenario searchingEach(KeyFigure given) {
        return byDefault("searches", "each", "each").answeredBy(KeyFigure.values(), given);
    }

    /** Returns a copy that other figures answer: without a given rate, and with one. */
    public ServerScenario answeredBy(KeyFigure searching, KeyFigure given) {
        return new ServerScenario(name, question, copies, cases, parameters, searching, given, run);
    }

    /** Returns a copy that measures its cases otherwise. */
    public ServerScenario running(Run other) {
        return new ServerScenario(name, question, copies, cases, parameters, keyFigure, atGivenRate, other);
    }

    @Override
    public KeyFigure keyFigure(Settings settings) {
        return CostPlan.isRateGiven(settings) ? atGivenRate : keyFigure;
    }

    @Override
    public void check(Settings settings) {
        needs(settings);
    }

    /** Returns the needs of the largest case, or of all together if their processes are kept. */
    @Override
    public Needs needs(Settings settings) {
        List<Case> all = cases.apply(settings);
        Needs nodes = all.stream()
                .map(each -> each.plan().needsOfNodes(each.variant().nodes(), copies))
                .reduce(all.get(0).plan().costs().keepsProcesses() ? Needs::beside : Needs::or)
                .orElse(Needs.LITTLE);
        return nodes.beside(ServerPlan.needsOfRun());
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        run.of(context, cases.apply(context));
    }
}
