package io.dht4j.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.spring.cache.CacheSerializer;
import io.dht4j.spring.cache.Jackson2Serializer;
import io.dht4j.spring.cache.Jackson3Serializer;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Chooses the serializers of caches. The classes of a version of Jackson are loaded only if it is on the class path; if
 * both are, the one of which the application has a bean, or else the newer one.
 */
final class ValueSerializers {

    private static final String JACKSON_2 = "com.fasterxml.jackson.databind.ObjectMapper";
    private static final String JACKSON_3 = "tools.jackson.databind.json.JsonMapper";

    private final DhtCacheProperties properties;
    private final BeanFactory beans;
    private final boolean has2;
    private final boolean has3;

    ValueSerializers(DhtCacheProperties properties, BeanFactory beans) {
        this.properties = properties;
        this.beans = beans;
        this.has2 = Transports.isPresent(JACKSON_2);
        this.has3 = Transports.isPresent(JACKSON_3);
    }

    /** Returns the serializer of a cache. */
    CacheSerializer of(String cache, DhtCacheProperties.Settings settings) {
        String prefix = "dht4j.cache.caches." + cache + ".";
        String bean = settings.serializer();
        String own = settings.valueType();
        if (bean != null) {
            if (own != null) {
                throw StartException.of(
                        prefix + "serializer or " + prefix + "value-type",
                        prefix + "serializer and " + prefix + "value-type contradict each other: set one of them");
            }
            return named(prefix + "serializer", bean);
        }
        String property = own == null ? "dht4j.cache.value-type" : prefix + "value-type";
        String type = own == null ? properties.valueType() : own;
        return switch (type) {
            case "java.lang.String" -> CacheSerializer.text();
            case "byte[]" -> CacheSerializer.bytes();
            default -> json(property, type);
        };
    }

    private CacheSerializer named(String property, String bean) {
        try {
            return beans.getBean(bean, CacheSerializer.class);
        } catch (BeansException e) {
            throw new StartException(
                    property + " must be the name of a bean of type CacheSerializer, not " + bean,
                    "Define the bean, or change " + property + ".",
                    e);
        }
    }

    private CacheSerializer json(String property, String type) {
        if (!has2 && !has3) {
            throw new StartException(
                    property + ": values of type " + type + " are kept as JSON, and Jackson is not on the class path",
                    "Add the dependency org.springframework.boot:spring-boot-starter-json, or name a serializer by "
                            + "dht4j.cache.caches.NAME.serializer.",
                    null);
        }
        return StartException.read(property, () -> prefers3() ? Jackson3.of(beans, type) : Jackson2.of(beans, type));
    }

    private boolean prefers3() {
        return has3 && (!has2 || Jackson3.hasBean(beans) || !Jackson2.hasBean(beans));
    }

    private static final class Jackson2 {
        static boolean hasBean(BeanFactory beans) {
            return beans.getBeanProvider(ObjectMapper.class).stream().findAny().isPresent();
        }

        static CacheSerializer of(BeanFactory beans, String type) {
            ObjectMapper mapper = beans.getBeanProvider(ObjectMapper.class)
                    .getIfUnique(() -> com.fasterxml.jackson.databind.json.JsonMapper.builder()
                            .findAndAddModules()
                            .build());
            return Jackson2Serializer.of(mapper, type);
        }
    }

    private static final class Jackson3 {
        static boolean hasBean(BeanFactory beans) {
            return beans.getBeanProvider(JsonMapper.class).stream().findAny().isPresent();
        }

        static CacheSerializer of(BeanFactory beans, String type) {
            JsonMapper mapper = beans.getBeanProvider(JsonMapper.class)
                    .getIfUnique(() -> JsonMapper.builder().findAndAddModules().build());
            return Jackson3Serializer.of(mapper, type);
        }
    }
}
