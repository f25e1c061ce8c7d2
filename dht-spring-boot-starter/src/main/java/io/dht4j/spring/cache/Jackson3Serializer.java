package io.dht4j.spring.cache;

import io.dht4j.spring.cache.TypeNames.OtherTypeException;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps values as JSON, by Jackson 3. The type is fixed by the application, so the bytes cannot choose a class. Safe
 * for use by any number of threads.
 */
public final class Jackson3Serializer implements CacheSerializer {

    private final JavaType type;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    private Jackson3Serializer(JavaType type, ObjectWriter writer, ObjectReader reader) {
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
    public static Jackson3Serializer of(JsonMapper mapper, String type) {
        JavaType parsed = mapper.getTypeFactory().constructFromCanonical(TypeNames.binary(type));
        // Spring's mappers ignore them; here they reveal a class that has changed.
        return new Jackson3Serializer(
                parsed,
                mapper.writerFor(parsed),
                mapper.readerFor(parsed).with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES));
    }

    @Override
    public byte[] toBytes(Object value) {
        if (!ClassUtils.isAssignableValue(type.getRawClass(), value)) {
            throw new OtherTypeException(type.toCanonical(), value);
        }
        return writer.writeValueAsBytes(value);
    }

    @Override
    public Object fromBytes(byte[] bytes) {
        try {
            return reader.readValue(bytes);
        } catch (JacksonException e) {
            // Without the place in the source, which no reader of a log has.
            throw new IllegalStateException(e.getOriginalMessage(), e);
        }
    }
}
