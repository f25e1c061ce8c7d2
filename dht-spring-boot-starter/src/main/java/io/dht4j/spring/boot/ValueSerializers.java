package io.dht4j.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.spring.cache.CacheSerializer;
import io.dht4j.spring.cache.Jackson2Serializer;
import io.dht4j.spring.cache.Jackson3Serializer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Chooses the serializers of caches. The classes of a version of Jackson are loaded only if it is on the class path; if
 * both are, the version with a bean in the application, or else the newer one.
 */
final class ValueSerializers {

    private static final String JACKSON_2 = "com.fasterxml.jackson.databind.ObjectMapper";
    private static final String JACKSON_3 = "tools.jackson.databind.json.JsonMapper";

    private final DhtCacheProperties properties;
    private final ListableBeanFactory beans;
    private final boolean has2;
    private final boolean has3;

    ValueSerializers(DhtCacheProperties properties, ListableBeanFactory beans) {
        this.properties = properties;
        this.beans = beans;
        this.has2 = Transports.isPresent(JACKSON_2);
        this.has3 = Transports.isPresent(JACKSON_3);
    }

    /** The serializer in a cache's properties: a bean, or else a type. */
    private record Choice(String property, @Nullable String bean, String type) {
        boolean isJson() {
            return bean == null && !type.equals("java.lang.String") && !isBytes();
        }

        /** By the canonical or the binary name. */
        boolean isBytes() {
            return type.equals("byte[]") || type.equals("[B");
        }
    }

    /** Refuses properties of a cache that name no serializer. Creates no bean, which may need the cluster. */
    static void check(
            DhtCacheProperties properties,
            String cache,
            DhtCacheProperties.Settings settings,
            ListableBeanFactory beans) {
        ValueSerializers serializers = new ValueSerializers(properties, beans);
        Choice choice = serializers.choice(cache, settings);
        String bean = choice.bean();
        if (bean != null) {
            Class<?> type = beans.containsBean(bean) ? beans.getType(bean, false) : Void.class;
            // A factory method may declare a type that says less.
            if (type != null
                    && !CacheSerializer.class.isAssignableFrom(type)
                    && !type.isInterface()
                    && type != Object.class) {
                throw notSerializer(choice.property(), bean, null);
            }
        } else if (choice.isJson()) {
            serializers.requireJackson(choice);
            StartException.read(
                    choice.property(),
                    () -> serializers.prefers3() ? Jackson3.parse(choice.type()) : Jackson2.parse(choice.type()));
        }
    }

    /** Returns the serializer of a cache. */
    CacheSerializer of(String cache, DhtCacheProperties.Settings settings) {
        Choice choice = choice(cache, settings);
        String bean = choice.bean();
        if (bean != null) {
            return named(choice.property(), bean);
        }
        if (choice.isJson()) {
            return json(choice);
        }
        return choice.isBytes() ? CacheSerializer.bytes() : CacheSerializer.text();
    }

    private Choice choice(String cache, DhtCacheProperties.Settings settings) {
        String prefix = "dht4j.cache.caches." + cache + ".";
        String bean = settings.serializer();
        String own = settings.valueType();
        if (bean != null && own != null) {
            throw StartException.of(
                    prefix + "serializer or " + prefix + "value-type",
                    prefix + "serializer and " + prefix + "value-type contradict each other: set one of them");
        }
        if (bean != null) {
            return new Choice(prefix + "serializer", bean, properties.valueType());
        }
        return own == null
                ? new Choice("dht4j.cache.value-type", null, properties.valueType())
                : new Choice(prefix + "value-type", null, own);
    }

    private CacheSerializer named(String property, String bean) {
        try {
            return beans.getBean(bean, CacheSerializer.class);
        } catch (BeansException e) {
            throw notSerializer(property, bean, e);
        }
    }

    private static StartException notSerializer(String property, String bean, @Nullable Throwable cause) {
        return new StartException(
                property + " must be the name of a bean of type CacheSerializer, not " + bean,
                "Define the bean, or change " + property + ".",
                cause);
    }

    private void requireJackson(Choice choice) {
        if (!has2 && !has3) {
            throw new StartException(
                    choice.property() + ": values of type " + choice.type()
                            + " are kept as JSON, and Jackson is not on the class path",
                    "Add the dependency org.springframework.boot:spring-boot-starter-json, or name a serializer by "
                            + "dht4j.cache.caches.NAME.serializer.",
                    null);
        }
    }

    private CacheSerializer json(Choice choice) {
        requireJackson(choice);
        return StartException.read(
                choice.property(),
                () -> prefers3() ? Jackson3.of(beans, choice.type()) : Jackson2.of(beans, choice.type()));
    }

    private boolean prefers3() {
        return has3 && (!has2 || Jackson3.hasBean(beans) || !Jackson2.hasBean(beans));
    }

    /** By the definitions, since the check runs before beans are made. */
    private static boolean hasBeanOf(Class<?> type, ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
    }

    private static final class Jackson2 {
        static CacheSerializer parse(String type) {
            return Jackson2Serializer.of(new ObjectMapper(), type);
        }

        static boolean hasBean(ListableBeanFactory beans) {
            return hasBeanOf(ObjectMapper.class, beans);
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
        static CacheSerializer parse(String type) {
            return Jackson3Serializer.of(new JsonMapper(), type);
        }

        static boolean hasBean(ListableBeanFactory beans) {
            return hasBeanOf(JsonMapper.class, beans);
        }

        static CacheSerializer of(BeanFactory beans, String type) {
            JsonMapper mapper = beans.getBeanProvider(JsonMapper.class)
                    .getIfUnique(() -> JsonMapper.builder().findAndAddModules().build());
            return Jackson3Serializer.of(mapper, type);
        }
    }
}
