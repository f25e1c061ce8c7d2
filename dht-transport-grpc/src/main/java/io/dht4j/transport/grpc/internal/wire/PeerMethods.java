package io.dht4j.transport.grpc.internal.wire;

import io.dht4j.PrintableText;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.Frame;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Optional;

/** The two methods that carry frames, and their metadata. */
public final class PeerMethods {

    /** In the words of gRPC-java's Netty. */
    private static final String CLOSED = "Network closed for unknown reason";

    /** The service name. Its version covers the protocol of the methods, without the frames. */
    public static final String SERVICE = "dht4j.peer.v1.Frames";

    /** The metadata of a call that ended without a reply before any handler of frames saw it. */
    private static final Metadata.Key<String> OUTCOME =
            Metadata.Key.of("dht-outcome", Metadata.ASCII_STRING_MARSHALLER);

    /** The only value of the outcome. */
    private static final String NOT_SENT = "not-sent";

    /** The length of the frame of a unary call, so that the frame can be refused before it arrives. */
    public static final Metadata.Key<String> LENGTH = Metadata.Key.of("dht-length", Metadata.ASCII_STRING_MARSHALLER);

    /**
     * With any value, the caller of a stream understands {@link RecordHead#NO_ROOM}. Earlier callers end their stream
     * at a record of an unknown type.
     */
    public static final Metadata.Key<String> KNOWS_NO_ROOM =
            Metadata.Key.of("dht-knows-no-room", Metadata.ASCII_STRING_MARSHALLER);

    /** Represents a request that did not fit into memory: an error would end its call with an unknown outcome. */
    public static final byte[] NO_MEMORY = {};

    /** The code of a refusal for lack of room. */
    public static final Status.Code NO_ROOM = Status.Code.RESOURCE_EXHAUSTED;

    /** The full name of the unary method. */
    public static final String UNARY_NAME = MethodDescriptor.generateFullMethodName(SERVICE, "Call");

    private PeerMethods() {}

    /** Returns the unary method as the peer endpoint sees it. */
    public static MethodDescriptor<byte[], byte[]> unary(int maxFrameBytes) {
        return unary(new Frames(maxFrameBytes, true), new Frames(maxFrameBytes, false));
    }

    /** Returns the unary method as the caller sees it. */
    public static MethodDescriptor<Frame, byte[]> unaryToPeer(int maxFrameBytes) {
        return unary(new Requests(), new Frames(maxFrameBytes, false));
    }

    private static <Q> MethodDescriptor<Q, byte[]> unary(Marshaller<Q> requests, Marshaller<byte[]> replies) {
        return MethodDescriptor.newBuilder(requests, replies)
                .setType(MethodType.UNARY)
                .setFullMethodName(UNARY_NAME)
                .setSampledToLocalTracing(false)
                .build();
    }

    /**
     * Returns the stream method: messages of records ({@link RecordHead}) in both directions. They are read and written
     * without being collected first.
     */
    public static MethodDescriptor<InputStream, InputStream> stream() {
        Marshaller<InputStream> records = new Streams();
        return MethodDescriptor.newBuilder(records, records)
                .setType(MethodType.BIDI_STREAMING)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Stream"))
                .setSampledToLocalTracing(false)
                .build();
    }

    /** Returns a method that no peer implements: its error shows that the peer is alive. */
    public static MethodDescriptor<InputStream, InputStream> probe() {
        Marshaller<InputStream> nothing = new Streams();
        return MethodDescriptor.newBuilder(nothing, nothing)
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Probe"))
                .setSampledToLocalTracing(false)
                .build();
    }

    /** Returns the metadata which states that no handler saw a call that has no reply. */
    public static Metadata notSent() {
        Metadata trailers = new Metadata();
        trailers.put(OUTCOME, NOT_SENT);
        return trailers;
    }

    /** Returns whether the metadata states that no handler saw the call. */
    public static boolean isNotSent(Metadata trailers) {
        return NOT_SENT.equals(trailers.get(OUTCOME));
    }

    /** Returns why a call ended, in one line. */
    public static String reason(Status status) {
        return Optional.ofNullable(status.getCause())
                .flatMap(ConnectFailure::inWords)
                .map(PeerMethods::oneLine)
                .orElseGet(() -> described(status));
    }

    private static String described(Status status) {
        String cause = status.getCause() == null
                ? ""
                : String.valueOf(status.getCause().getMessage());
        // A peer that does not read what it gets resets the connection as it closes it.
        if (CLOSED.equals(status.getDescription())
                || cause.contains("Connection reset")
                || cause.contains("Broken pipe")) {
            return "it closed the connection; if it always does: does it speak gRPC, with TLS or without as this node"
                    + " does?";
        }
        StringBuilder text = new StringBuilder(status.getCode().toString());
        if (status.getDescription() != null) {
            String description = status.getDescription();
            int end = description.indexOf('\n');
            text.append(' ').append(end < 0 ? description : description.substring(0, end));
        }
        for (Throwable each = status.getCause(); each != null; each = each.getCause()) {
            String message = ConnectFailure.message(each);
            if (each.getMessage() != null && text.indexOf(message) < 0) {
                text.append(": ").append(message);
            }
        }
        return oneLine(text.toString());
    }

    /** Shortens a text to one short line for an answer. */
    public static String oneLine(String text) {
        String line = PrintableText.of(text);
        return line.substring(0, Math.min(line.length(), 300));
    }

    /**
     * Marshals whole frames. Memory is taken only for received bytes: gRPC collects a message before it passes it on.
     * Requests that do not fit into memory are {@link #NO_MEMORY}.
     */
    private record Frames(int maxFrameBytes, boolean requests) implements Marshaller<byte[]> {

        @Override
        public InputStream stream(byte[] frame) {
            return new Written(Frame.of(frame));
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                byte[] frame = new byte[Math.min(maxFrameBytes, stream.available())];
                int length = stream.readNBytes(frame, 0, frame.length);
                if (stream.read() >= 0) {
                    throw Status.RESOURCE_EXHAUSTED
                            .withDescription("a frame may have " + maxFrameBytes + " bytes")
                            .asRuntimeException();
                }
                return length == frame.length ? frame : Arrays.copyOf(frame, length);
            } catch (OutOfMemoryError e) {
                if (requests) {
                    return NO_MEMORY;
                }
                throw e;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Marshals frames that are sent. */
    private static final class Requests implements Marshaller<Frame> {

        @Override
        public InputStream stream(Frame frame) {
            return new Written(frame);
        }

        @Override
        public Frame parse(InputStream stream) {
            throw new UnsupportedOperationException("a caller gets no requests");
        }
    }

    /** A frame that knows its length and is written at once, which spares gRPC an intermediate buffer. */
    private static final class Written extends InputStream implements KnownLength, Drainable {

        private final Frame frame;
        private int read;

        Written(Frame frame) {
            this.frame = frame;
        }

        @Override
        public int available() {
            return frame.length() - read;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int left = available();
            int headRead = Math.min(read, frame.head().length);
            int bodyRead = read - headRead;
            target.write(frame.head(), headRead, frame.head().length - headRead);
            target.write(frame.body(), bodyRead, frame.body().length - bodyRead);
            read = frame.length();
            return left;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int from, int length) {
            if (length == 0) {
                return 0;
            }
            int count = Math.min(length, available());
            if (count == 0) {
                return -1;
            }
            frame.copy(read, target, from, count);
            read += count;
            return count;
        }
    }

    /** Passes messages through unchanged. */
    private static final class Streams implements Marshaller<InputStream> {

        @Override
        public InputStream stream(InputStream message) {
            return message;
        }

        @Override
        public InputStream parse(InputStream message) {
            return message;
        }
    }
}
