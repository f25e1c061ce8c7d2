package io.dht4j.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Collection;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/** Where clocks, randomness and threads come from, for the packages below a root. */
final class ThreadRules {

    private final String root;

    ThreadRules(String root) {
        this.root = root;
    }

    private String in(String subpackage) {
        return root + "." + subpackage + "..";
    }

    ArchRule coreUsesItsEnvironment() {
        return noClasses()
                .that()
                .resideInAnyPackage(in("core"), in("client"))
                .and(areNotPartOf(root + ".core.SystemEnvironment"))
                .should()
                .accessTargetWhere(access(
                        "reads a clock, makes or stops a thread, rolls its own dice, or leaves a task to a "
                                + "thread that is"
                                + " not the environment's",
                        ThreadRules::goesAroundTheEnvironment))
                .orShould()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are timers, pools or sources of chance of their own",
                        type -> type.isEquivalentTo(Timer.class)
                                || type.isEquivalentTo(Executors.class)
                                || type.isEquivalentTo(ThreadLocalRandom.class)
                                || type.isAssignableTo(Random.class)
                                || type.isAssignableTo(ExecutorService.class)))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> areNotPartOf(String name) {
        return DescribedPredicate.describe(
                "are not part of " + name,
                type -> !type.getName().equals(name) && !type.getName().startsWith(name + "$"));
    }

    private static DescribedPredicate<JavaAccess<?>> access(String description, Predicate<JavaAccess<?>> predicate) {
        return DescribedPredicate.describe(description, predicate);
    }

    private static boolean goesAroundTheEnvironment(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getTarget().getName();
        if (owner.isEquivalentTo(System.class)) {
            return Set.of("nanoTime", "currentTimeMillis").contains(name);
        }
        if (owner.isEquivalentTo(Math.class)) {
            return name.equals("random");
        }
        if (owner.isAssignableTo(Thread.class)) {
            // Thread.currentThread().interrupt() restores an interrupt and is allowed.
            return !Set.of("currentThread", "interrupt").contains(name);
        }
        if (owner.getPackageName().equals("java.time")) {
            return name.equals("now") || name.startsWith("system");
        }
        if (owner.isEquivalentTo(UUID.class)) {
            return name.equals("randomUUID");
        }
        return usesASharedPool(access);
    }

    private static boolean usesASharedPool(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getTarget().getName();
        if (owner.isEquivalentTo(ForkJoinPool.class)) {
            return true;
        }
        if (owner.isAssignableTo(Collection.class) && name.equals("parallelStream")) {
            return true;
        }
        if (!owner.isAssignableTo(CompletionStage.class)) {
            return false;
        }
        if (Set.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(name)) {
            return true;
        }
        return name.endsWith("Async") && !takesAnExecutor(access);
    }

    private static boolean takesAnExecutor(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(Executor.class));
    }

    ArchRule noSharedPools() {
        return noClasses()
                .that()
                .resideInAnyPackage(in("store"), in("transport"))
                .should()
                .accessTargetWhere(access("leaves a task to a shared pool or timer", ThreadRules::usesASharedPool))
                .allowEmptyShould(true);
    }

    ArchRule storeThreadsAreNotInterrupted() {
        return noClasses()
                .that()
                .resideInAnyPackage(in("core"), in("store"))
                .and(areNotPartOf(root + ".core.SystemEnvironment"))
                .should()
                .accessTargetWhere(access("stops threads that may be within a store", access -> {
                    JavaClass owner = access.getTargetOwner();
                    String name = access.getTarget().getName();
                    return (owner.isAssignableTo(ExecutorService.class) && name.equals("shutdownNow"))
                            || (owner.isAssignableTo(Future.class)
                                    && !owner.isAssignableTo(CompletableFuture.class)
                                    && name.equals("cancel"));
                }))
                .allowEmptyShould(true);
    }
}
