package io.dht4j.topology.microraft.internal.codec;

/** The first entry of a leader, which commits the entries of earlier terms. */
public record NewTerm(int term) {}
