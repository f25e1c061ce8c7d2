package io.dht4j.spring.cache;

import io.dht4j.spring.cache.TypeNames.OtherTypeException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Serializers that need no library. */
enum PlainSerializer implements CacheSerializer {
    TEXT {
        @Override
        public byte[] toBytes(Object value) {
            if (value instanceof String text) {
                return text.getBytes(StandardCharsets.UTF_8);
            }
            throw new OtherTypeException("java.lang.String", value);
        }

        @Override
        public Object fromBytes(byte[] bytes) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new IllegalArgumentException("the bytes are no UTF-8", e);
            }
        }
    },
    BYTES {
        @Override
        public byte[] toBytes(Object value) {
            if (value instanceof byte[] bytes) {
                return bytes.clone();
            }
            throw new OtherTypeException("byte[]", value);
        }

        @Override
        public Object fromBytes(byte[] bytes) {
            return bytes;
        }
    }
}
