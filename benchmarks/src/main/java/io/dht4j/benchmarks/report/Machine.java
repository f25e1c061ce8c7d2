package io.dht4j.benchmarks.report;

/**
 * The machine that produced figures.
 *
 * @param processors number that the JVM sees
 * @param processor its model, by the system's name
 * @param memoryBytes of the machine
 * @param system name and version of the operating system
 * @param java version of the JVM
 */
public record Machine(int processors, String processor, long memoryBytes, String system, String java) {}
