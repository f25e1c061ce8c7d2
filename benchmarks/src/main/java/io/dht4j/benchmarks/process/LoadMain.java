package io.dht4j.benchmarks.process;

import io.dht4j.benchmarks.load.LoadSpec;
import io.dht4j.benchmarks.target.TargetSpec;

/** The load generator in a process of its own, started by a {@link LoadProcess}. */
public final class LoadMain {

    static final String CONNECT = "connect";
    static final String FILL = "fill";
    static final String RUN = "run";

    private LoadMain() {}

    /**
     * Runs until the standard input ends.
     *
     * @param args none
     */
    public static void main(String[] args) {
        LoadCommands commands = new LoadCommands();
        new ChildService()
                .on(CONNECT, TargetSpec.class, target -> {
                    commands.connect(target);
                    return null;
                })
                .on(FILL, LoadCommands.Fill.class, commands::fill)
                .on(RUN, LoadSpec.class, commands::run)
                .run(commands);
    }
}
