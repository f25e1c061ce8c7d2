package io.dht4j.spring.boot;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Holds if the properties name a cache. */
final class OnConfiguredCaches implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return Binder.get(context.getEnvironment())
                .bind("dht4j.cache", DhtCacheProperties.class)
                .map(properties -> !properties.all().isEmpty())
                .orElse(false);
    }
}
