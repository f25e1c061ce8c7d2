package io.dht4j.spring.cache;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A string becomes {@code 'text}, another simple value {@code Type=text}, and a list {@code [length:element...]}. So
 * the texts of unequal keys differ, such as those of 1 and "1", or of ("a, b") and ("a", "b").
 */
enum StandardKeyFormat implements CacheKeyFormat {
    INSTANCE;

    /** Types whose text is the same for equal values only. */
    private static final Set<Class<?>> SIMPLE = Set.of(
            Integer.class,
            Long.class,
            Short.class,
            Byte.class,
            Boolean.class,
            Character.class,
            Double.class,
            Float.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            OffsetDateTime.class,
            ZonedDateTime.class);

    /** Spring shows the parameters of a key by no method, and its text is ambiguous. */
    private static final @Nullable Field PARAMETERS = ReflectionUtils.findField(SimpleKey.class, "params");

    @Override
    public String format(Object key) {
        StringBuilder text = new StringBuilder();
        append(text, key);
        return text.toString();
    }

    private static void append(StringBuilder text, @Nullable Object part) {
        if (part == null) {
            text.append("null");
        } else if (part instanceof String string) {
            text.append('\'').append(string);
        } else if (SIMPLE.contains(part.getClass())) {
            text.append(part.getClass().getSimpleName()).append('=').append(part);
        } else if (part instanceof Enum<?> constant) {
            text.append(constant.getDeclaringClass().getName()).append('=').append(constant.name());
        } else if (part instanceof SimpleKey simple) {
            appendAll(text, parameters(simple));
        } else if (part instanceof List<?> list) {
            appendAll(text, list);
        } else if (part.getClass().isArray()) {
            appendAll(text, Arrays.asList(ObjectUtils.toObjectArray(part)));
        } else {
            throw new IllegalArgumentException(
                    "a key of type " + part.getClass().getTypeName()
                            + " has no standard text: name a simple key in the annotation, as in key = \"#book.isbn\", "
                            + "or define a bean of type CacheKeyFormat");
        }
    }

    private static void appendAll(StringBuilder text, List<?> parts) {
        text.append('[');
        for (Object part : parts) {
            StringBuilder element = new StringBuilder();
            append(element, part);
            text.append(element.length()).append(':').append(element);
        }
        text.append(']');
    }

    private static List<?> parameters(SimpleKey key) {
        if (PARAMETERS == null) {
            throw new IllegalArgumentException(
                    "this version of Spring does not show the parameters of a SimpleKey: name a key in the annotation");
        }
        ReflectionUtils.makeAccessible(PARAMETERS);
        Object parameters = ReflectionUtils.getField(PARAMETERS, key);
        return Arrays.asList(ObjectUtils.toObjectArray(parameters));
    }
}
