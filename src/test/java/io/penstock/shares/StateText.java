package io.penstock.shares;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** A text of all fields of objects of this package: equal for equal states. */
final class StateText {
  private static final Set<Class<?>> SURROUNDINGS =
      Set.of(
          ShareStore.class,
          StepAlarm.class,
          Ticker.class,
          ShareTerms.class,
          DoubleSupplier.class,
          Runnable.class,
          SpentLimit.Wall.class,
          MemoryShareStore.TagSource.class);

  private static final ClassValue<Field[]> FIELDS =
      new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
          Field[] fields =
              Arrays.stream(type.getDeclaredFields())
                  .filter(each -> !Modifier.isStatic(each.getModifiers()))
                  .filter(each -> !each.isSynthetic())
                  .filter(each -> !SURROUNDINGS.contains(each.getType()))
                  .toArray(Field[]::new);
          AccessibleObject.setAccessible(fields, true);
          return fields;
        }
      };

  private final StringBuilder text = new StringBuilder();
  private final Set<String> leftOut;

  private StateText(Set<String> leftOut) {
    this.leftOut = leftOut;
  }

  /** Returns the text of objects without the fields of some names. */
  static String of(Set<String> leftOut, Object... of) {
    StateText text = new StateText(leftOut);
    for (Object each : of) {
      text.add(each);
    }
    return text.text.toString();
  }

  private void add(@Nullable Object each) {
    switch (each) {
      case null -> text.append('-');
      case Map<?, ?> map -> sorted(map.entrySet());
      case Set<?> set -> sorted(set);
      case Collection<?> some -> some.forEach(this::add);
      case Map.Entry<?, ?> entry -> {
        add(entry.getKey());
        text.append('=');
        add(entry.getValue());
      }
      default -> {
        if (each.getClass().getPackage().equals(StateText.class.getPackage())
            && !each.getClass().isEnum()) {
          fields(each);
        } else {
          text.append(each);
        }
      }
    }
    text.append(' ');
  }

  private void sorted(Collection<?> some) {
    List<String> texts = new ArrayList<>();
    for (Object each : some) {
      texts.add(of(leftOut, each));
    }
    texts.sort(null);
    texts.forEach(text::append);
  }

  private void fields(Object of) {
    text.append('(');
    for (Field each : FIELDS.get(of.getClass())) {
      if (!leftOut.contains(each.getName())) {
        try {
          add(each.get(of));
        } catch (IllegalAccessException e) {
          throw new AssertionError(e);
        }
      }
    }
    text.append(')');
  }
}
