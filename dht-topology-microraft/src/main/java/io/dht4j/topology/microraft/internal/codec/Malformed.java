package io.dht4j.topology.microraft.internal.codec;

/** Thrown for malformed bytes, with a description of the error. */
public final class Malformed extends Exception {

    private static final long serialVersionUID = 1;

    public Malformed(String what) {
        super(what, null, false, false);
    }
}
