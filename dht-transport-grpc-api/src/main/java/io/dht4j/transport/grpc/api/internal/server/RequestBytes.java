package io.dht4j.transport.grpc.api.internal.server;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Passes requests on as received bytes. So a malformed message is answered like any other bad request, and objects are
 * created only from checked messages.
 */
final class RequestBytes implements MethodDescriptor.Marshaller<byte[]> {

    /** Represents a message that did not fit into memory: an error here would end its call without details. */
    static final byte[] NO_MEMORY = {};

    @Override
    public InputStream stream(byte[] value) {
        return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
        try (stream) {
            // The library has collected the whole message, within its bound.
            byte[] message = new byte[stream.available()];
            int length = stream.readNBytes(message, 0, message.length);
            return length == message.length ? message : Arrays.copyOf(message, length);
        } catch (OutOfMemoryError e) {
            return NO_MEMORY;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Parses a message without its unknown fields, since few bytes of these could create many objects. Its fields of
     * bytes are not copied.
     */
    static <T extends Message> T message(Parser<T> parser, byte[] bytes) {
        CodedInputStream input = CodedInputStream.newInstance(bytes);
        input.enableAliasing(true);
        try {
            return DiscardUnknownFieldsParser.wrap(parser).parseFrom(input);
        } catch (InvalidProtocolBufferException e) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "the request is not the message that it should be: " + e.getMessage());
        }
    }

    /** Counts a repeated field, up to one more than a limit, before a message of very many small parts is built. */
    static void requireAtMost(int limit, int field, byte[] bytes) {
        CodedInputStream input = CodedInputStream.newInstance(bytes);
        try {
            int count = 0;
            for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
                if (WireFormat.getTagFieldNumber(tag) == field && ++count > limit) {
                    throw new InvalidRequestException(
                            ErrorCode.BATCH_TOO_LARGE, "a batch has at most " + limit + " keys, this one has more");
                }
                input.skipField(tag);
            }
        } catch (IOException e) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "the request is not the message that it should be: " + e.getMessage());
        }
    }
}
