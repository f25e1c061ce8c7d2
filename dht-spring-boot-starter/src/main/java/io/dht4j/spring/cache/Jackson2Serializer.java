package io.dht4j.spring.cache;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.dht4j.spring.cache.TypeNames.OtherTypeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.util.ClassUtils;

/**
 * Keeps values as JSON, by Jackson 2. The type is fixed by the application, so the bytes cannot choose a class. Safe
 * for use by any number of threads.
 */
public final class Jackson2Serializer implements CacheSerializer {

    private final JavaType type;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    private Jackson2Serializer(JavaType type, ObjectWriter writer, ObjectReader reader) {
        this.type = type;
        this.writer = writer;
        this.reader = reader;
    }

    /**
     * Returns a serializer of one type. It reads no value with a field that the type lacks, such as one of a class that
     * has changed since.
     *
     * @param mapper converts the values
     * @param type the canonical or binary name of their type, for example {@code com.example.Book},
     *     {@code com.example.Outer.Inner} or {@code java.util.List<com.example.Book>}
     * @return a serializer
     * @throws IllegalArgumentException if there is no such type
     */
    public static Jackson2Serializer of(ObjectMapper mapper, String type) {
        JavaType parsed = mapper.getTypeFactory().constructFromCanonical(TypeNames.binary(type));
        // Spring's mappers ignore them; here they reveal a class that has changed.
        return new Jackson2Serializer(
                parsed,
                mapper.writerFor(parsed),
                mapper.readerFor(parsed).with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES));
    }

    @Override
    public byte[] toBytes(Object value) {
        if (!ClassUtils.isAssignableValue(type.getRawClass(), value)) {
            throw new OtherTypeException(type.toCanonical(), value);
        }
        try {
            return writer.writeValueAsBytes(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    @Override
    public Object fromBytes(byte[] bytes) {
        try {
            return reader.readValue(bytes);
        } catch (IOException e) {
            // Without the place in the source, which no reader of a log has.
            String message = e instanceof JsonProcessingException known ? known.getOriginalMessage() : e.getMessage();
            throw new UncheckedIOException(message, e);
        }
    }
}
