package io.dht4j.spring.boot.health.boot4;

import io.dht4j.spring.boot.health.HealthContract;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

@EnabledIf("io.dht4j.spring.boot.SpringBoots#is4")
class Boot4HealthTest extends HealthContract {

    @Override
    protected Class<?> indicator() {
        return HealthIndicator.class;
    }

    @Override
    protected Health health(AssertableApplicationContext context) {
        var health = context.getBean(HealthIndicator.class).health();
        return new Health(health.getStatus().getCode(), health.getDetails());
    }
}
