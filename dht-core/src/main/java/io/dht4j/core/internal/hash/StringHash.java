package io.dht4j.core.internal.hash;

import io.dht4j.spi.HashFunction;
import java.nio.charset.StandardCharsets;

/** The control for comparisons: {@link String#hashCode} of the key's text in the upper half, zeros below. */
public record StringHash() implements HashFunction {

    @Override
    public long hash(byte[] bytes) {
        return (long) new String(bytes, StandardCharsets.UTF_8).hashCode() << Integer.SIZE;
    }

    @Override
    public String name() {
        return "string";
    }
}
