package io.dht4j.benchmarks.process;

import java.util.concurrent.TimeUnit;

/** Neither reads its commands nor ends. */
final class StubbornProgram {

    private StubbornProgram() {}

    public static void main(String[] args) throws InterruptedException {
        TimeUnit.DAYS.sleep(1);
    }
}
