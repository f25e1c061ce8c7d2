package io.dht4j.server.cli.options;

import io.dht4j.CallOptions;
import io.dht4j.HotKeys;
import io.dht4j.MembershipChange;
import io.dht4j.Node;
import io.dht4j.server.cli.console.OutOfRangeException;
import io.dht4j.server.client.Loader;
import io.dht4j.server.demo.DemoRun;
import io.dht4j.spi.PartitionTable;
import picocli.CommandLine.ITypeConverter;

/**
 * Reads the whole numbers of options. Other texts, and numbers out of the option's range, are refused with that range.
 */
public final class WholeNumber {

    private static final long LARGEST_LIMIT = 999_999_999_999_999_999L;
    private static final long LONGEST_MILLIS = 3_600_000;
    private static final int LARGEST_PORT = 65_535;

    private WholeNumber() {}

    private static long read(String text, long least, long most) {
        return read("", text, least, most);
    }

    private static long readMillis(String text, long least, long most) {
        return read(" of milliseconds", text, least, most);
    }

    private static long read(String unit, String text, long least, long most) {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Not a number at all, or far too large: the same message, which names the range.
        }
        throw new OutOfRangeException(
                "must be a whole number" + unit + " from " + least + " to " + most + ", not \"" + text + "\"");
    }

    /** Reads the weight of a node. */
    public static final class Weight implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, Node.MAX_WEIGHT);
        }
    }

    /** Reads the number of requests in flight. */
    public static final class Parallel implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, Loader.MAX_PARALLEL);
        }
    }

    /** Reads for how many milliseconds hot keys are counted. */
    public static final class CountingTime implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return readMillis(text, HotKeys.SHORTEST.toMillis(), HotKeys.LONGEST.toMillis());
        }
    }

    /** Reads a number of hot keys. */
    public static final class HotKeyCount implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, HotKeys.MOST_KEYS);
        }
    }

    /** Reads a number of replicas; the cluster checks whether it has as many. */
    public static final class Replicas implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, Integer.MAX_VALUE);
        }
    }

    /** Reads a partition's number; the cluster checks whether it has as many. */
    public static final class Partition implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, PartitionTable.MAX_PARTITIONS - 1L);
        }
    }

    /** Reads a port that has room behind it for those of the demo's other nodes. */
    public static final class FirstPort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, LARGEST_PORT - DemoRun.NODES + 1L);
        }
    }

    /** Reads the lifetime of a value in milliseconds. */
    public static final class TimeToLive implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return readMillis(text, 1, CallOptions.MAX_TIME_TO_LIVE.toMillis());
        }
    }

    /** Reads the timeout of an answer in milliseconds. */
    public static final class Timeout implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return readMillis(text, 1, LONGEST_MILLIS);
        }
    }

    /** Reads a rate of moves in KiB per second. */
    public static final class MoveRate implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(" of KiB per second", text, MembershipChange.MIN_RATE >> 10, MembershipChange.MAX_RATE >> 10);
        }
    }

    /** Reads a replication factor. */
    public static final class ReplicationFactor implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, MembershipChange.ReplicationFactor.MAX);
        }
    }

    /** Reads a number that is added to a counter. */
    public static final class Delta implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, Long.MIN_VALUE, Long.MAX_VALUE);
        }
    }

    /** Reads the most entries of a scan. */
    public static final class Limit implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, 1, LARGEST_LIMIT);
        }
    }
}
