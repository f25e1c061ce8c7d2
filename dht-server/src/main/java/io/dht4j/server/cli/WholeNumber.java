package io.dht4j.server.cli;

import io.dht4j.CallOptions;
import io.dht4j.server.client.Loader;
import io.dht4j.server.demo.DemoRun;
import io.dht4j.spi.PartitionTable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the whole numbers of options; what is none, or out of the option's range, is refused with that range. */
final class WholeNumber {

    private static final long LARGEST_LIMIT = 999_999_999_999_999_999L;
    private static final long LONGEST_MILLIS = 3_600_000;
    private static final int LARGEST_PORT = 65_535;

    private WholeNumber() {}

    /** The message goes behind the option's name. */
    static final class OutOfRange extends TypeConversionException {

        private static final long serialVersionUID = 1;

        private OutOfRange(String message) {
            super(message);
        }
    }

    private static long read(String text, long least, long most) {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Not a number at all, or one that is far too large: the same message, which names the range.
        }
        throw new OutOfRange("must be a whole number from " + least + " to " + most + ", not \"" + text + "\"");
    }

    /** How many requests may be under way. */
    static final class Parallel implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, Loader.MAX_PARALLEL);
        }
    }

    /** How many replicas; whether the cluster has as many is for it to say. */
    static final class Replicas implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, Integer.MAX_VALUE);
        }
    }

    /** A partition's number; whether the cluster has as many is for it to say. */
    static final class Partition implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, PartitionTable.MAX_PARTITIONS - 1L);
        }
    }

    /** A port that has room behind it for those of the demo's other nodes. */
    static final class FirstPort implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, LARGEST_PORT - DemoRun.NODES + 1L);
        }
    }

    /** Milliseconds that a value lives. */
    static final class TimeToLive implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, 1, CallOptions.MAX_TIME_TO_LIVE.toMillis());
        }
    }

    /** Milliseconds that an answer may take. */
    static final class Timeout implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, 1, LONGEST_MILLIS);
        }
    }

    /** The most entries of a scan. */
    static final class Limit implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, 1, LARGEST_LIMIT);
        }
    }
}
