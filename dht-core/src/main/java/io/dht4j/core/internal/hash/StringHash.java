package io.dht4j.core.internal.hash;

import io.dht4j.spi.HashFunction;
import java.nio.charset.StandardCharsets;

/** The control: {@link String#hashCode} of the key's text in the upper half, nothing below. */
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
