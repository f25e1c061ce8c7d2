package io.dht4j.spring.cache;

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
            throw refusal("java.lang.String", value);
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
            throw refusal("byte[]", value);
        }

        @Override
        public Object fromBytes(byte[] bytes) {
            return bytes;
        }
    };

    private static IllegalArgumentException refusal(String type, Object value) {
        return new IllegalArgumentException("the value type is " + type + ", and the value is a "
                + value.getClass().getTypeName()
                + ": name the type in dht4j.cache.caches.NAME.value-type, or give CacheOptions another serializer");
    }
}
