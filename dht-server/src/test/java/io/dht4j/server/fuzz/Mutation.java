package io.dht4j.server.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Spoils bytes. */
final class Mutation {

    private static final int[] EXTREMES = {-1, 0, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0xFFFF, 1 << 30};

    private Mutation() {}

    /** Noise, or one of some good messages after a few changes; sometimes none. */
    static byte[] of(List<byte[]> good, SplittableRandom random) {
        if (random.nextInt(10) == 0) {
            return noise(random, 300);
        }
        byte[] bytes = one(good, random).clone();
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            bytes = changed(bytes, good, random);
        }
        return bytes;
    }

    private static byte[] changed(byte[] bytes, List<byte[]> good, SplittableRandom random) {
        if (bytes.length == 0) {
            return noise(random, 20);
        }
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(6)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 3 -> {
                if (bytes.length >= Integer.BYTES) {
                    ByteBuffer.wrap(bytes)
                            .putInt(
                                    Math.min(at, bytes.length - Integer.BYTES),
                                    EXTREMES[random.nextInt(EXTREMES.length)]);
                }
            }
            case 4 -> {
                byte[] tail = one(good, random);
                return joined(
                        Arrays.copyOf(bytes, at), Arrays.copyOfRange(tail, random.nextInt(tail.length), tail.length));
            }
            default -> {
                return joined(Arrays.copyOf(bytes, at), noise(random, 40));
            }
        }
        return bytes;
    }

    static byte[] noise(SplittableRandom random, int most) {
        byte[] noise = new byte[random.nextInt(most)];
        random.nextBytes(noise);
        return noise;
    }

    private static byte[] joined(byte[] head, byte[] tail) {
        byte[] all = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, all, head.length, tail.length);
        return all;
    }

    static <T> T one(List<T> of, SplittableRandom random) {
        return of.get(random.nextInt(of.size()));
    }
}
