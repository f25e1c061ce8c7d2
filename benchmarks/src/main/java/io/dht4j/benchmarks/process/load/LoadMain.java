package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.process.ChildService;
import io.dht4j.benchmarks.process.ChildService.NoArguments;
import io.dht4j.lab.internal.counters.ProcessCounters;
import io.dht4j.lab.internal.load.LoadSpec;

/** The load generator in a process of its own, started by a {@link LoadProcess}. */
public final class LoadMain {

    static final String CONNECT = "connect";
    static final String FILL = "fill";
    static final String READ_BACK = "read-back";
    static final String RUN = "run";
    static final String COUNTERS = "counters";

    private LoadMain() {}

    /**
     * Runs until the standard input ends.
     *
     * @param args none
     */
    public static void main(String[] args) {
        ProcessCounters counters = new ProcessCounters();
        LoadCommands commands = new LoadCommands(counters::read);
        new ChildService()
                .on(CONNECT, ClientSpec.class, client -> {
                    commands.connect(client);
                    return null;
                })
                .on(FILL, LoadCommands.Fill.class, commands::fill)
                .on(READ_BACK, LoadCommands.Read.class, commands::readBack)
                .on(RUN, LoadSpec.class, commands::run)
                .on(COUNTERS, NoArguments.class, nothing -> counters.read())
                .run(() -> {
                    commands.close();
                    counters.close();
                });
    }
}
