package io.dht4j;

/**
 * One entry of a scan.
 *
 * @param key the key
 * @param value its newest value
 */
public record KeyValue(Key key, Value value) {}
