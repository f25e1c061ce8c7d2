package io.dht4j.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

/**
 * Shows a start that failed as a message and an action, in place of a stack trace. Comes before the analyzers of Spring
 * Boot, which would name the class that a property is bound to.
 */
@Order(StartFailureAnalyzer.FIRST)
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {

    static final int FIRST = 0;

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
