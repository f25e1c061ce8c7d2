package io.dht4j.testkit.time;

import io.dht4j.spi.Environment;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * An environment that forwards every call to another one. Subclasses override methods. As safe for several threads as
 * the other environment.
 */
public abstract class ForwardingEnvironment implements Environment {

    private final Environment environment;

    /**
     * Creates an environment that forwards to another one.
     *
     * @param environment the other environment, which is closed with this one
     */
    protected ForwardingEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public long nanoTime() {
        return environment.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return environment.currentTimeMillis();
    }

    @Override
    public RandomGenerator random() {
        return environment.random();
    }

    @Override
    public Executor executor() {
        return environment.executor();
    }

    @Override
    public Executor storeExecutor() {
        return environment.storeExecutor();
    }

    @Override
    public int storeThreads() {
        return environment.storeThreads();
    }

    @Override
    public boolean isVirtual() {
        return environment.isVirtual();
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        return environment.schedule(task, delayNanos);
    }

    @Override
    public void close() {
        environment.close();
    }
}
