package io.dht4j.benchmarks.report;

/**
 * Where figures were measured.
 *
 * @param processors how many the JVM sees
 * @param processor its model, as the system names it
 * @param memoryBytes of the machine
 * @param system name and version of the operating system
 * @param java version of the JVM
 */
public record Machine(int processors, String processor, long memoryBytes, String system, String java) {}
