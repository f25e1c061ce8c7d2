package io.dht4j.core.internal.hash;

import com.dynatrace.hash4j.hashing.Hasher64;
import io.dht4j.spi.HashFunction;

/**
 * A hash function of the hashing library.
 *
 * @param name the name in the status
 * @param hasher the library's function
 */
public record LibraryHash(String name, Hasher64 hasher) implements HashFunction {

    @Override
    public long hash(byte[] bytes) {
        return hasher.hashBytesToLong(bytes);
    }

    @Override
    public String toString() {
        return name;
    }
}
